#!/usr/bin/env bash
# Starts a daemon on loopback with a ledger in a temporary folder, lets virtual iPhones, Android devices, a camera and an attacker
# talk to it, prints every verdict, and stops. Builds nothing: `make demo` does that first.
set -euo pipefail
bin=${1:-.build/release}
[ -x "$bin/assayd" ] || { echo "there is no assayd in $bin; build it, or name the folder of the binaries" >&2; exit 1; }

home=$(mktemp -d)
daemon=
stop() {
    status=$?
    if [ -n "$daemon" ]; then kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; fi
    if [ "$status" -ne 0 ] && [ -s "$home/assayd.log" ]; then
        echo "the daemon said:" >&2
        cat "$home/assayd.log" >&2
    fi
    rm -rf "$home"
    exit "$status"
}
trap stop EXIT

app_id=ABCDE12345.com.example.camera
echo "A virtual iPhone is made, under a test authority of its own:"
"$bin/assay" simulate phone "$home/phone" --app-id "$app_id" | sed 's/^/  /'

package=com.example.camera
signer=$(printf 'the certificate that signs the app' | sha256sum | cut -d' ' -f1)
# android <name> <arguments>: a virtual Android device; all are under one authority.
android() {
    name=$1
    shift
    mkdir -p "$home/$name"
    if [ -f "$home/strongbox/authority" ]; then cp "$home/strongbox/authority" "$home/$name/"; fi
    "$bin/assay" simulate android make "$home/$name" --package "$package" --signer "hex:$signer" "$@" > /dev/null
}
echo "And five virtual Android devices: two with StrongBox, one with a TEE, one whose keys are software, one that is unlocked."
android strongbox --level strongbox
android tee --level tee --provisioning factory --root rsa
android software --level software
android unlocked --unlocked
android composite --level strongbox

echo "A CA for device certificates is made: an offline root, and an issuing CA whose key the daemon gets."
"$bin/assay" ca init "$home/ca" --organization "Example Cameras" > /dev/null

cat > "$home/assayd.yaml" <<YAML
listen:
  - tcp: 127.0.0.1:0
store:
  path: ledger.sqlite
callers:
  loopback_demo: true
provisioning:
  authorities:
    - name: issuing-1
      certificate: ca/issuing-1.pem
      key: ca/issuing-1.key
      passphrase_file: ca/issuing-1.passphrase
trust:
  test_roots: [phone/root.pem, strongbox/root.pem, tee/root.pem, software/root.pem]
apps:
  camera:
    # Virtual devices, which no app in service accepts.
    accept_simulated: true
    app_attest:
      identities:
        - app_id: $app_id
    android:
      packages:
        - name: $package
          signers: [$signer]
      # The demo needs no network; a daemon in service asks for Google's list.
      revocation: {source: none}
    play_integrity:
      packages: [$package]
      signers: [$signer]
      keys:
        - decryption_key_file: composite/play-decryption.key
          verification_key_file: composite/play-verification.key
  fleet:
    # Cameras, for which their manufacturer vouches.
    provisioning:
      fleet: {manufacturer: Example Cameras}
    certificate_bundle: {}
YAML
echo
echo "A daemon is started with this configuration:"
sed 's/^/  /' "$home/assayd.yaml"
"$bin/assayd" --config "$home/assayd.yaml" > /dev/null 2> "$home/assayd.log" &
daemon=$!

address=
for _ in $(seq 100); do
    address=$(sed -n 's/.*address=tcp:\([0-9.:]*\).*/\1/p' "$home/assayd.log" | head -n 1)
    [ -n "$address" ] && break
    kill -0 "$daemon" 2>/dev/null || { daemon=; exit 1; }
    sleep 0.1
done
[ -n "$address" ] || { echo "the daemon does not listen" >&2; exit 1; }
export ASSAY_SERVER=$address

echo
echo "It listens on $address. The phone registers and uploads; an attacker replays and forges:"
echo
"$bin/assay" simulate session "$home/phone" --app camera
echo
echo "The Android device with StrongBox registers and uploads; an attacker replays and forges:"
echo
"$bin/assay" simulate android session "$home/strongbox" --app camera
echo
echo "The one with a TEE, whose batch key is from the factory, does as well:"
echo
"$bin/assay" simulate android session "$home/tee" --app camera
echo
echo "The one whose keys are software is refused, and so is the one that is unlocked:"
echo
"$bin/assay" simulate android session "$home/software" --app camera --refusal software_level
"$bin/assay" simulate android session "$home/unlocked" --app camera --refusal bootloader_unlocked
echo
echo "The other one with StrongBox registers with two pieces of evidence: the attestation of its key, and a Play Integrity token in"
echo "which Google speaks of the app and the device. The token is bound to the attested key, so that it serves with no other. Of"
echo "the verdict, what each of them claims, and how sure it is:"
echo
challenge=$("$bin/assay" challenge --app camera --purpose register)
"$bin/assay" simulate android attest "$home/composite" --challenge "$challenge" --out "$home/chain.pem" > /dev/null
"$bin/assay" simulate android play-token "$home/composite" --challenge "$challenge" --beside-attestation \
    --out "$home/token" > /dev/null
"$bin/assay" verify --app camera --challenge "$challenge" --key-attestation "$home/chain.pem" --play-token "$home/token" |
    grep -E 'ACCEPTED|device   |chain/security_level =|boot_state =|recognition_verdict =' | sed 's/^/  /'
echo
echo "What the registry knows of the iPhone:"
key_id=$(sed -n 's/^key id  //p' <("$bin/assay" simulate assert "$home/phone" --challenge "$("$bin/assay" challenge --app camera --purpose assert)" --out "$home/assertion"))
"$bin/assay" device --app camera --key-id "$key_id" | sed 's/^/  /'
echo
echo "A camera is provisioned: its serial number is put on the allow-list, and its CSR gets a certificate, a secret and key tables:"
echo
serial=CAM-0042
"$bin/assay" enrol add --app fleet --serial "$serial" | sed 's/^/  /'
"$bin/assay" simulate camera make "$home/camera" --serial "$serial" > /dev/null
"$bin/assay" simulate camera csr "$home/camera" --out "$home/request.pem" > /dev/null
"$bin/assay" provision device --app fleet --serial "$serial" --csr "$home/request.pem" --out-dir "$home/camera" |
    sed "s|$home/||; s/^/  /"
echo
echo "It signs a bundle of an image, which is accepted:"
echo
head -c 100000 /dev/urandom > "$home/photo.jpg"
"$bin/assay" simulate camera sign "$home/camera" "$home/photo.jpg" --out "$home/bundle.json" > /dev/null
"$bin/assay" verify --app fleet --bundle "$home/bundle.json" | grep -E 'ACCEPTED|device  ' | sed 's/^/  /'
echo
echo "The camera is stolen and blocked, which revokes its certificate. The bundle is refused:"
echo
device=$("$bin/assay" cert list --app fleet | grep -o 'dev_[0-9a-f]*')
"$bin/assay" device block --app fleet "$device" --reason stolen | sed 's/^/  /'
# The next command has to end with 1, rejected.
if "$bin/assay" verify --app fleet --bundle "$home/bundle.json" > "$home/verdict"; then exit 1; fi
grep REJECTED "$home/verdict" | sed 's/^/  /'
"$bin/assay" cert list --app fleet | sed 's/^/  /'
echo
echo "A service that verifies certificates without Assay finds it in the CA's revocation list:"
echo
"$bin/assay" crl get --out "$home/issuing-1.crl" | sed "s|$home/||; s/^/  /"
if command -v openssl > /dev/null; then
    openssl crl -in "$home/issuing-1.crl" -noout -text | grep -A 3 'Revoked Certificates' | sed 's/^/  /'
fi
echo
echo "And how the daemon is:"
"$bin/assay" status | sed 's/^/  /'
echo
kill -TERM "$daemon"
wait "$daemon"
daemon=
echo "The daemon was asked to stop, and did."
