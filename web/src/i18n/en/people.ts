import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"
export const people = {
  title: common.people,
  members: common.members,
  person: "Member",
  role: "Role",
  since: "Member since",
  actions: common.actions,
  you: "you",
  noMembers: "No members yet",
  noMembersHint: "Invite a user. Global admins see the project without being members.",
  roles: { viewer: "Viewer", auditor: "Auditor", operator: common.operator, admin: "Admin" },
  roleHints: {
    viewer: "Views everything in the project and saves views. Can acknowledge only their own alerts.",
    auditor: "Everything a viewer can do, plus the audit log and its exports.",
    operator:
      "Everything a viewer can do. Also retries and cancels tasks, runs commands, changes schedules and automation rules, acknowledges the project's alerts, and sees approvals.",
    admin:
      "Everything an operator and an auditor can do, plus people, agents, notifications and settings. Decides approvals and deletes tasks."
  },
  rolesTitle: "What each role can do",
  changeRole: "Change role",
  changeRoleOf: (name: string) => `Change the role of ${name}`,
  roleAppliesAtOnce: "The new role applies from the next request.",
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name} from the project`,
  removeHint: "The member loses access to this project at once. Their account and other projects are kept.",
  removeSelfHint: "This is you. You lose access to this project at once, and only another admin can add you again.",
  invite: common.invite,
  inviteTitle: "Invite a user",
  email: common.email,
  emailHint: "If this address has an account, its user signs in to accept. If not, the link creates the account.",
  validFor: "Link expires in",
  days: (count: Count) => plural(count, "# day", "# days"),
  invitations: common.invitations,
  noInvitations: "No invitations",
  noInvitationsHint:
    "Invitations stay listed until they are accepted, revoked or expired, and for some time after that.",
  status: common.status,
  statuses: { pending: "Pending", accepted: "Accepted", revoked: common.revoked, expired: common.expired },
  expires: common.expires,
  revoke: "Revoke",
  revokeOf: (email: string) => `Revoke the invitation for ${email}`,
  invitedTitle: (email: string) => `${email} is invited`,
  mailSent: "An e-mail with this link is queued. You can also send the link yourself.",
  mailNotSent: "This server cannot send e-mail. Send the link yourself.",
  link: "Invitation link",
  linkHint: "The link is shown only once and works once. A later invitation of the same address makes it invalid."
}
