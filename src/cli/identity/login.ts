import { bindCommands, define } from "../program/Group.ts"
import { codeStdin, expiresInDays, flag, json, optionalText, passwordStdin } from "../program/Options.ts"

export const definitions = {
  login: define("Sign in, and store the brain's address and an API key in SVC_HOME.", {
    url: optionalText("url", "Address of the brain (SVC_URL)."),
    email: optionalText("email", "Sign in as this user, and create an API key."),
    passwordStdin,
    codeStdin,
    apiKeyStdin: flag("api-key-stdin", "Read an existing API key from standard input, instead of signing in."),
    expiresInDays,
    allowInsecure: flag(
      "allow-insecure",
      "Allow plain http to another machine, which exposes the password and the key."
    )
  }),
  logout: define("Revoke the API key that svc login created, and remove it from this machine.", {}),
  whoami: define("Show the API key's owner, the brain and the owner's roles.", { json })
}

export const { login, logout, whoami } = bindCommands(definitions, () => import("./handlers/login.ts"))
