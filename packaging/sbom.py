#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a bill of materials of a build, SPDX 2.3 in JSON: the program and the
libraries that it was built with, as meson found them.

usage: sbom.py BUILD_FOLDER [SOURCE_DATE_EPOCH]

The same of the same build and date: without a date it bears that of the environment,
or 1970's. Standard library only.
"""
import hashlib
import json
import os
import subprocess
import sys
from datetime import datetime, timezone

# As their own files say; a library that is not here has to be added.
LICENSES = {
    "inih": "BSD-3-Clause", "jansson": "MIT", "libcrypto": "Apache-2.0", "libcurl": "curl", "libdeflate": "MIT",
    "libisal": "BSD-3-Clause", "libpcre2-8": "BSD-3-Clause", "libprotobuf-c": "BSD-2-Clause",
    "libutf8proc": "MIT", "libzstd": "BSD-3-Clause", "ncursesw": "X11-distribute-modifications-variant", "yaml-0.1": "MIT", "zlib": "Zlib",
}
# Of tests, or of the C library.
NONE_OF_IT = {"cmocka", "dl", "m", "threads"}
LATE = {"libcrypto", "libcurl", "libzstd", "ncursesw"}
NAMESPACE = "https://tracefind.example.org/spdx/"


def introspected(folder, what):
    done = subprocess.run(["meson", "introspect", f"--{what}", folder], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def package(name, version, spdx_license):
    return {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": spdx_license,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:generic/{name}@{version}"}]}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def libraries(folder):
    found = {dep["name"]: dep["version"] for dep in introspected(folder, "dependencies")}
    unknown = sorted(found.keys() - LICENSES.keys() - NONE_OF_IT)
    if unknown:
        sys.exit(f"sbom.py: add the license of {', '.join(unknown)}")
    return {name: found[name] for name in sorted(found) if name in LICENSES}


def document(folder, epoch):
    project = introspected(folder, "projectinfo")
    is_lazy = next(o["value"] for o in introspected(folder, "buildoptions") if o["name"] == "lazy")
    found = libraries(folder)
    packages = [package("tracefind", project["version"], "Apache-2.0")]
    packages += [package(name, version, LICENSES[name]) for name, version in found.items()]
    program = "SPDXRef-tracefind"
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", program)]
    for name in found:
        # What is loaded when needed may be missing in a run that does not need it.
        relations.append(relation(f"SPDXRef-{name}", "OPTIONAL_DEPENDENCY_OF", program) if is_lazy and name in LATE
                         else relation(program, "DYNAMIC_LINK", f"SPDXRef-{name}"))
    content = json.dumps([packages, relations, epoch])
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"tracefind-{project['version']}",
            "documentNamespace": NAMESPACE + hashlib.sha256(content.encode()).hexdigest(),
            "creationInfo": {"created": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: tracefind packaging/sbom.py"]},
            "packages": packages, "relationships": relations}


def main():
    epoch = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("SOURCE_DATE_EPOCH", 0))
    print(json.dumps(document(sys.argv[1], epoch), indent=1))


if __name__ == "__main__":
    main()
