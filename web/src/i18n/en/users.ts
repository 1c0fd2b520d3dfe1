export const users = {
  hint: "Every account of this brain. What an account may do in a project is set on the project's page of people.",
  none: "No users",
  create: "Create a user",
  createHint: "An invitation to a project lets a person choose the password; here you choose the first one.",
  active: "Active",
  inactive: "Inactive",
  activeHint: "An inactive account cannot sign in. Its sessions end at once and its API keys stop.",
  adminHint: "Admin in every project, and of users and the brain.",
  password: "Password",
  passwordHint: "At least 12 characters.",
  lastLogin: "Last sign-in",
  never: "Never",
  created: "Created",
  edit: "Edit",
  setPassword: "Set password",
  passwordOf: (name: string) => `Set the password of ${name}`,
  setPasswordHint: "All sessions of the account end. The second factor and the API keys stay.",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteHint:
    "The account, its sessions, API keys, memberships and open invitations are deleted. What the person did stays in the audit log. This cannot be undone."
}
