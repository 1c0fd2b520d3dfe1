import { Options } from "@effect/cli"
import { Role } from "../../domain/kernel/Access.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, integer, json, project, yes } from "../program/Options.ts"

const member = argument("member", "E-mail address of the member.")

const role = Options.choice("role", Role.literals).pipe(Options.withDescription("The role in the project."))

export const memberDefinitions = {
  list: define("List the project's members with their roles.", { project, json }),
  add: define("Add an existing account. svc invitations create is for people without one.", {
    user: argument("user", "Id of an account, or its e-mail address as a global admin."),
    role,
    project,
    json
  }),
  "set-role": define("Change a member's role from their next request on.", { member, role, project, json }),
  remove: define("Take an account out of the project.", { member, project, yes })
}

export const members = makeGroup(
  "members",
  "Who may do what in a project.",
  bindCommands(memberDefinitions, () => import("./handlers/members.ts"))
)

export const invitationDefinitions = {
  list: define("List the project's invitations, newest first.", { project, json }),
  create: define("Invite an address; prints the link, only once.", {
    email: argument("email", "The address to invite."),
    role,
    days: integer("days", "Days until it expires, 1 to 30.", 7),
    project,
    json
  }),
  revoke: define("Revoke an invitation: its link stops working.", {
    invitation: argument("invitation", "Id of the invitation, or its address."),
    project
  })
}

export const invitations = makeGroup(
  "invitations",
  "Addresses that may join a project.",
  bindCommands(invitationDefinitions, () => import("./handlers/invitations.ts"))
)
