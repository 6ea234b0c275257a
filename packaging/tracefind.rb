# Homebrew: brew install --build-from-source ./packaging/tracefind.rb
# Not tried on macOS, only read by ruby. The address and the sum are those of a release:
# ./dev package source makes the tarball, sha256sum its sum.
class Tracefind < Formula
  desc "From a slow trace to the function that made it slow"
  homepage "https://tracefind.example.org"
  url "https://tracefind.example.org/tracefind-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "scdoc" => :build
  depends_on "curl"
  depends_on "inih"
  depends_on "jansson"
  depends_on "libdeflate"
  depends_on "libyaml"
  depends_on "ncurses"
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "protobuf-c"
  depends_on "utf8proc"
  depends_on "zstd"
  uses_from_macos "python" => :build
  uses_from_macos "zlib"

  def install
    # Names of libraries that are loaded late are Linux's.
    system "meson", "setup", "build", "-Dtests=disabled", "-Dlazy=false", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tracefind --version")
  end
end
