/** The scopes by what they concern: the part before the colon. `admin:*` comes last, for it contains the others. */
export const groupScopes = (scopes: ReadonlyArray<string>): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const groups = new Map<string, Array<string>>()
  for (const scope of scopes) {
    const resource = scope.split(":", 1)[0] ?? scope
    groups.set(resource, [...(groups.get(resource) ?? []), scope])
  }
  return [...groups].sort(([one], [other]) => Number(one === "admin") - Number(other === "admin"))
}

const examples = [["home:read", "/home/summary"], ["projects:read", "/projects"], ["auth:read", "/auth/me"]] as const

/** A path to try a key with these scopes at; without any of them it shows how a refusal looks. */
export const examplePath = (scopes: ReadonlyArray<string>): string =>
  examples.find(([scope]) => scopes.includes(scope) || scopes.includes("admin:*"))?.[1] ?? "/auth/me"
