import { type Bucket, rateBuckets, isUserBucket, Role, type AccessRule, windowSeconds } from "../src/domain/Access.ts"
import { adminScopes, roleScopes, accessRules, scopes } from "../src/http/AccessRules.ts"

const callers: Readonly<Record<AccessRule["caller"], string>> = {
  public: "anybody",
  agent: "an agent's token",
  session: "signed-in browser",
  authenticated: "anybody signed in",
  viewer: "viewer",
  operator: "operator",
  admin: "admin",
  global_admin: "global admin"
}

const shownPath = (path: string): string =>
  path.replaceAll("::", "\0").replaceAll(/:([a-z_]+)/g, "{$1}").replaceAll("\0", ":").replace(/^\/api\/v1/, "")

const row = (route: string, rule: AccessRule): string => {
  const [method = "", path = ""] = route.split(" ")
  const notes = [
    rule.requiresHttps === true ? "not in the clear" : "",
    rule.allowsSession === true ? "session counts, with CSRF" : "",
    rule.mutates === true && rule.caller !== "public" && rule.caller !== "agent" ? "CSRF" : "",
    rule.creates === undefined ? "" : rule.creates === "secret" ? "idempotent, secret" : "idempotent",
    rule.stepUp === true ? "step-up" : "",
    rule.allowsPendingFactor === true ? "while owing" : "",
    rule.allowsRestrictedSession === true ? "while restricted" : "",
    rule.bucket === undefined ? "" : `bucket ${rule.bucket}`,
    rule.destructive === true ? "audited" : "",
    rule.bodyLimit === undefined ? "" : `body ${rule.bodyLimit} B`
  ].filter((note) => note !== "")
  const shown = path.startsWith("/api/v1/") ? shownPath(path) : `${shownPath(path)} (root)`
  return `| ${method} | \`${shown}\` | ${callers[rule.caller]} | ${rule.scope ?? ""} | ${notes.join(", ")} |`
}

const roles = Role.literals

// the record's own keys, which Object.keys widens to string
const bucketNames = Object.keys(rateBuckets) as ReadonlyArray<Bucket>

const bucketRow = (bucket: Bucket): string =>
  `| ${bucket} | ${isUserBucket(bucket) ? "user" : "address"} | ${rateBuckets[bucket]} in ${windowSeconds(bucket)} s${bucket === "mfa" ? ", or `SVC_MFA_VERIFICATION_RATE_PER_MIN`" : ""} |`

/** `docs/access.md`, from the declarations of the endpoints. */
export const accessTable = (): string => `# Access

Made by \`npm run docs\` from the declarations of the endpoints; a test compares the two.
Paths are under \`/api/v1\` where nothing else is said.

**Who**: viewer, operator and admin are roles in the project of the path, each with the rights of those before it; a
global admin is admin everywhere. "Anybody signed in" is a browser or an API key; "signed-in browser" is no API key.
Who is no member of a project gets 404, whose role is too weak 403. Nobody is 401.

**Scope**: what an API key must hold besides (\`admin:*\` holds all). A key never does more than its owner may, and a
key bound to a project finds no other; paths outside of projects stay open to it.

**Not in the clear**: over plain http it is 403 \`https_required\` for who calls another address than the machine's own
(\`localhost\`), unless SVC_ENVIRONMENT is development; no session cookie is taken there either.
**Session counts**: anybody may call it, but who is signed in does it as themselves.
**CSRF**: by session cookie the request needs the header \`X-CSRF-Token\` with the value of the CSRF cookie.
**Idempotent**: \`Idempotency-Key\` is honoured for 24 hours; with **secret** a repetition is 409 \`idempotency_conflict\`,
because the answer showed something that is shown once. **Bucket**: requests of one address or user, see below.
**Audited**: a signed-in caller who is refused for want of a role or scope leaves a row \`access.denied\` in the audit log.

**Step-up**: a browser must have signed in, or given a code or password again, within
\`SVC_MFA_STEP_UP_WINDOW_SECONDS\`; an API key is not asked, nor is a restricted session. **While owing**: open to a session that still owes its second
factor (all else is 401 \`mfa_required\`). **While restricted**: open to a session whose user should have enrolled a second
factor by now (all else is 403 \`mfa_enrollment_required\`). See [mfa.md](mfa.md).

| | path | who | scope | |
|---|---|---|---|---|
${[...accessRules].map(([route, rule]) => row(route, rule)).join("\n")}

## Scopes

${scopes.map((scope) => `\`${scope}\``).join(", ")}

An API key gives nobody more than it holds; otherwise 403 \`scope_missing\`:

- Creating, changing or deleting a global admin, and setting a global admin's password, needs \`admin:*\` in a key that is
  bound to no project. \`users:write\` alone does these things to everybody else.
- Giving a role, by a membership or an invitation, needs every scope of that role. So does setting the password of a
  member, for each project of theirs.

| role | scopes that a key needs to give it |
|---|---|
${roles.map((role) => `| ${role} | ${roleScopes[role].map((scope) => `\`${scope}\``).join(", ")} |`).join("\n")}

Some scopes reach as far as their endpoints do: \`agents:write\` creates agents, which receive commands and report tasks in
the project; \`commands:write\` runs tasks with arguments of the caller's choice; \`projects:write\` deletes the project with all
its tasks.

Only global admins can put these into a key: ${adminScopes.map((scope) => `\`${scope}\``).join(", ")}

## Rate buckets

Requests of one address, or one user, in a sliding window, counted in each process. A refused request (429
\`rate_limited\`) is not counted. \`denial\` limits no request, but the rows \`access.denied\` that one user can write, and \`refused_key\` the log lines about API keys that are not valid. Behind a proxy of \`SVC_TRUSTED_PROXIES\` the address is the client's.
An IPv6 address counts with its /64.

| bucket | of one | requests |
|---|---|---|
${bucketNames.map(bucketRow).join("\n")}

Setup attempts are counted in the database as well: \`SVC_FIRST_BOOT_ATTEMPTS_PER_IP\` of one address and eight times as
many of all in 15 minutes. Wrong passwords are counted for each account, see \`SVC_LOGIN_LOCKOUT_THRESHOLD\`.
`
