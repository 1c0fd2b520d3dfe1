/**
 * The packages that the program is made of, and their versions: the dependencies of package.json, optional
 * ones too, and the Effect packages among its devDependencies, which the build includes. A test compares them with package.json.
 */
export const packages: Readonly<Record<string, string>> = {
  "@effect/cli": "0.77.2",
  "@effect/cluster": "0.60.2",
  "@effect/experimental": "0.61.1",
  "@effect/opentelemetry": "0.64.1",
  "@effect/platform": "0.97.2",
  "@effect/platform-node": "0.108.2",
  "@effect/platform-node-shared": "0.61.1",
  "@effect/printer": "0.51.0",
  "@effect/printer-ansi": "0.51.0",
  "@effect/rpc": "0.76.2",
  "@effect/sql": "0.52.1",
  "@effect/sql-pg": "0.53.0",
  "@effect/typeclass": "0.41.0",
  "@effect/workflow": "0.19.1",
  "@zxcvbn-ts/language-common": "4.1.3",
  argon2: "0.44.0",
  "better-sqlite3": "12.11.1",
  effect: "3.22.4",
  "ipaddr.js": "2.5.0",
  jose: "6.2.18",
  nodemailer: "10.6.0",
  "openid-client": "6.9.0",
  otplib: "13.5.0",
  pg: "8.23.1",
  "prom-client": "15.1.3",
  undici: "7.30.2",
  "write-excel-file": "4.1.1",
  ws: "8.23.0"
}
