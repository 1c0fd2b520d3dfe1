/** Certificates for scheduler programs and for the brain that serves them, signed by an authority of our own. */
import "reflect-metadata" // first: the library below needs it
import * as x509 from "@peculiar/x509"
import type { webcrypto } from "node:crypto"
import { isIP } from "node:net"

/** P-256: every TLS library knows it, and its certificates are small. */
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

const authorityDays = 3650
const millisPerDay = 86_400_000

/** The clock of another machine may be behind this one's. */
const clockSkewMillis = 300_000

/** A certificate and its private key, both PEM. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

interface Authority {
  readonly certificate: x509.X509Certificate
  readonly key: webcrypto.CryptoKey
}

const serialNumber = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1 // a positive number, as RFC 5280 section 4.1.2.2 wants
  return Buffer.from(bytes).toString("hex")
}

const validFor = (days: number, now: number) => ({
  notBefore: new Date(now - clockSkewMillis),
  notAfter: new Date(now + days * millisPerDay)
})

const encodeKey = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`

const encodeCertificate = (certificate: x509.X509Certificate): string => `${certificate.toString("pem")}\n`

const generateKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])

/** A new authority. It signs certificates of programs, and no other authorities. */
export const createAuthority = async (now: number): Promise<Pair> => {
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: "CN=svc scheduler authority",
    ...validFor(authorityDays, now),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
    ]
  })
  return { certificate: encodeCertificate(certificate), key: await encodeKey(keys.privateKey) }
}

/** Reads an authority's PEM texts. Rejects where they are no certificate of an authority, or the key is another one's. */
export const readAuthority = async ({ certificate: pem, key: keyPem }: Pair): Promise<Authority> => {
  const certificate = new x509.X509Certificate(pem)
  const { publicKey } = certificate
  const key = await crypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(keyPem), algorithm, false, ["sign"])
  const probe = new Uint8Array(32)
  const signature = await crypto.subtle.sign(algorithm, key, probe)
  const isPair = await crypto.subtle.verify(algorithm, await publicKey.export(algorithm, ["verify"]), signature, probe)
  if (!isPair) throw new Error("the key is not that of the certificate")
  if (certificate.getExtension(x509.BasicConstraintsExtension)?.ca !== true) {
    throw new Error("the certificate is not that of an authority")
  }
  return { certificate, key }
}

interface Subject {
  /** The common name, by which the brain knows a scheduler. */
  readonly name: string
  /** Host names and addresses of a server; empty: a client's certificate. */
  readonly hosts: ReadonlyArray<string>
  readonly days: number
}

/** A certificate for a program: a server's where it has hosts, else a client's. Neither can be used as the other. */
export const issueCertificate = async (
  authority: Authority,
  { days, hosts, name }: Subject,
  now: number
): Promise<Pair> => {
  const keys = await generateKeys()
  const isServer = hosts.length > 0
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? "dns" as const : "ip" as const, value: host }))
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [name] }],
    issuer: authority.certificate.subjectName,
    ...validFor(days, now),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        isServer ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth
      ]),
      ...(isServer ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate)
    ]
  })
  return { certificate: encodeCertificate(certificate), key: await encodeKey(keys.privateKey) }
}
