import { Args, Command, Options } from "@effect/cli"
import { Role } from "../../domain/kernel/Access.ts"
import { lazyHandlers } from "../program/Load.ts"
import { json, project, yes } from "../program/Options.ts"

const handleMembers = lazyHandlers(() => import("./handlers/members.ts"))
const handleInvitations = lazyHandlers(() => import("./handlers/invitations.ts"))

const member = Args.text({ name: "member" }).pipe(Args.withDescription("E-mail address of the member."))

const role = Options.choice("role", Role.literals).pipe(Options.withDescription("The role in the project."))

const list = Command.make("list", { project, json }, handleMembers((module) => module.list)).pipe(
  Command.withDescription("List the project's members with their roles.")
)

const add = Command.make("add", {
  user: Args.text({ name: "user" }).pipe(
    Args.withDescription("Id of an account, or its e-mail address as a global admin.")
  ),
  role,
  project,
  json
}, handleMembers((module) => module.add)).pipe(
  Command.withDescription("Add an existing account. svc invitations create is for people without one.")
)

const setRole = Command.make("set-role", { member, role, project, json }, handleMembers((module) => module.setRole))
  .pipe(
    Command.withDescription("Change a member's role from their next request on.")
  )

const remove = Command.make("remove", { member, project, yes }, handleMembers((module) => module.remove)).pipe(
  Command.withDescription("Take an account out of the project.")
)

export const members = Command.make("members").pipe(
  Command.withDescription("Who may do what in a project."),
  Command.withSubcommands([list, add, setRole, remove])
)

const listInvitations = Command.make("list", { project, json }, handleInvitations((module) => module.list)).pipe(
  Command.withDescription("List the project's invitations, newest first.")
)

const create = Command.make("create", {
  email: Args.text({ name: "email" }).pipe(Args.withDescription("The address to invite.")),
  role,
  days: Options.integer("days").pipe(
    Options.withDescription("Days until it expires, 1 to 30."),
    Options.withDefault(7)
  ),
  project,
  json
}, handleInvitations((module) => module.create)).pipe(
  Command.withDescription("Invite an address; prints the link, only once.")
)

const revoke = Command.make("revoke", {
  invitation: Args.text({ name: "invitation" }).pipe(Args.withDescription("Id of the invitation, or its address.")),
  project
}, handleInvitations((module) => module.revoke)).pipe(
  Command.withDescription("Revoke an invitation: its link stops working.")
)

export const invitations = Command.make("invitations").pipe(
  Command.withDescription("Addresses that may join a project."),
  Command.withSubcommands([listInvitations, create, revoke])
)
