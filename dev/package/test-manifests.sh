#!/bin/bash
# Validates deploy/kubernetes against the schemas of Kubernetes (kubernetes-validate of PyPI). Exit status 77 if that cannot be installed.
. "$(dirname "$0")/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! { python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install kubernetes-validate; } >"$work/log" 2>&1; then
    tail -n 3 "$work/log"
    echo "test-manifests: kubernetes-validate cannot be installed"
    exit 77
fi
# kustomization.yaml is kubectl's, and has no schema there.
find deploy/kubernetes -name '*.yaml' ! -name kustomization.yaml -print0 | xargs -0 "$work/venv/bin/kubernetes-validate" --strict
# The schemas find what is wrong.
sed 's/readOnlyRootFilesystem: true/readOnlyRootFileSystem: true/' deploy/kubernetes/assay.yaml >"$work/wrong.yaml"
if "$work/venv/bin/kubernetes-validate" --strict "$work/wrong.yaml" >/dev/null 2>&1; then
    echo "test-manifests: a wrong field is not found" >&2
    exit 1
fi
echo "test-manifests: the manifests are valid"
