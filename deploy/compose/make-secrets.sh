#!/bin/sh
# Creates what postgres.yaml needs, in the folder `secrets` beside this file: keys and passwords of svc, and an authority
# with a certificate of its own for PostgreSQL. Run it once, as root: the files belong to the users of the containers.
# Usage: make-secrets.sh [folder [host name of PostgreSQL [path of the authority's file as svc sees it]]]
set -eu
folder=${1:-$(dirname "$0")/secrets}
host=${2:-postgres}
authority=${3:-/run/secrets/postgres-ca}
svc_user=10001      # deploy/docker/Dockerfile
postgres_user=999   # the image postgres

[ ! -e "$folder" ] || { echo "$folder exists already; nothing was changed" >&2; exit 1; }
umask 077
mkdir -p "$folder"
cd "$folder"

random_key() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n'; }
for name in secret-key audit-chain-key audit-signing-key metrics-token; do random_key > "$name"; done
password=$(openssl rand -hex 24)
printf %s "$password" > postgres-password
printf %s "postgresql://svc:$password@$host:5432/svc?sslmode=verify-full&sslrootcert=$authority" > database-url

openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj "/CN=svc PostgreSQL authority" \
  -keyout postgres-ca-key.pem -out postgres-ca.pem 2> /dev/null
openssl req -newkey rsa:3072 -nodes -subj "/CN=$host" -keyout postgres-key.pem -out postgres.csr 2> /dev/null
printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\n' "$host" > extensions
openssl x509 -req -in postgres.csr -CA postgres-ca.pem -CAkey postgres-ca-key.pem -CAcreateserial -days 825 \
  -extfile extensions -out postgres.pem 2> /dev/null
rm postgres.csr extensions ./*.srl

# Only TLS with a password from the network; the container's own socket, which the health check uses, as it is.
printf 'local all all trust\nhostssl all all all scram-sha-256\n' > postgres-hba.conf

if [ "$(id -u)" = 0 ]; then
  chown "$svc_user" secret-key audit-chain-key audit-signing-key metrics-token database-url
  chown "$postgres_user" postgres-password postgres-key.pem postgres.pem postgres-hba.conf
  chmod 0444 postgres-ca.pem
else
  echo "run as root, or chown the files in $folder to the users $svc_user (svc) and $postgres_user (PostgreSQL)" >&2
fi
echo "wrote $folder. Keep postgres-ca-key.pem elsewhere, and a backup of secret-key and the audit keys"
