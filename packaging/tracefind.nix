# nix-build packaging/tracefind.nix, with nixpkgs in NIX_PATH. Not built yet, only
# read by nix-instantiate --parse.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "tracefind";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ./..;

  nativeBuildInputs = with pkgs; [ meson ninja pkg-config protobufc python3 scdoc ];
  buildInputs = with pkgs; [
    curl inih jansson libdeflate libyaml ncurses openssl pcre2 protobufc utf8proc zlib zstd
  ];
  # Libraries are found by their path there, so none is loaded by its bare name.
  mesonFlags = [ "-Dtests=disabled" "-Dlazy=false" "-Db_lto=true" ];

  doInstallCheck = true;
  installCheckPhase = "$out/bin/tracefind --replay $src/testdata/cases/n-plus-one.har.gz";

  meta = {
    description = "From a slow trace to the function that made it slow";
    license = pkgs.lib.licenses.asl20;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "tracefind";
  };
}
