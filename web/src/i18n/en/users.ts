import { common } from "./common.ts"

export const users = {
  hint: "Every account of this server. What an account can do in a project is set on the project's People page.",
  none: "No users",
  create: "Create a user",
  createHint: "With an invitation to a project, users choose the password themselves; here you choose the first one.",
  active: "Active",
  inactive: "Inactive",
  activeHint: "An inactive account cannot sign in. Its sessions end at once and its API keys stop.",
  adminHint: "Admin of every project, of the users and of the server.",
  password: common.password,
  passwordHint: "At least 12 characters.",
  lastLogin: "Last sign-in",
  never: common.never,
  created: "Created",
  edit: common.edit,
  setPassword: "Set password",
  passwordOf: (name: string) => `Set the password of ${name}`,
  setPasswordHint: "All sessions of the account end. The second factor and the API keys are kept.",
  delete: common.delete,
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteHint:
    "The account, its sessions, API keys, memberships and open invitations are deleted. The user's actions stay in the audit log. This cannot be undone."
}
