import { common } from "./common.ts"

export const projectSettings = {
  title: common.settings,
  onlyAdmins: "Only project admins can change its settings.",
  create: "Create a project",
  general: "General",
  name: common.name,
  slug: "Slug",
  slugHint: "The name in addresses and API paths. After a change, old links and the paths in scripts stop working.",
  newSlugHint: "The name in addresses and API paths: lower-case letters, digits and hyphens.",
  description: "Description",
  environment: "Environment",
  environmentHint: "A label, such as production. It has no other effect.",
  zone: common.timeZone,
  zoneHint:
    "The dashboard shows times in this zone to users who choose the project's zone. Each schedule has its own zone.",
  searchable: "Searchable values",
  searchableHint:
    "Arguments and results that are searched by an index, at most 16 places. Mark a place in the values of a task. Each costs the server a little for every task of the name.",
  noSearchable: "No place is searchable yet.",
  searchableStatuses: { waiting: "New tasks only", filling: "Being filled", ready: "Filled" },
  searchableSince: (time: string) => `Tasks since ${time}`,
  stopSearchable: "Remove index",
  taskName: common.taskName,
  place: "Place",
  status: common.status,
  actions: common.actions,
  access: "Access and payloads",
  payloadRole: "Who sees arguments and results",
  payloadRoleHint: "Hidden from others in tasks, schedules and exports. Exceptions and tracebacks stay visible.",
  payloadRoles: {
    viewer: "All members",
    auditor: "Auditors and admins",
    operator: "Operators and admins",
    admin: "Admins only"
  },
  addresses: "Allowed IP addresses",
  addressesHint:
    "Networks such as 192.0.2.0/24, one per line. Include your own address. Users and API keys from other addresses are refused; agents are not affected. Empty: all addresses.",
  approvals: common.approvals,
  approvalsHint: "The chosen actions wait until a second person approves them.",
  approvalsActiveHint:
    "The chosen actions wait until a second person approves them. A change of this policy waits too.",
  holdPurges: "Queue purges",
  holdRules: "Automation rules that retry or cancel",
  holdRulesHint: "Creating and changing such rules. Deleting them needs no approval.",
  holdBulk: "Bulk actions on more than (tasks)",
  holdBulkHint: "Bulk retries, deletions and cancellations. Empty: none of them needs approval.",
  schedulers: common.schedulers,
  owner: "Scheduler of new schedules",
  ownerHint: "Fires schedules that name no scheduler of their own. For example svc-scheduler.",
  allowedSchedulers: "Allowed schedulers",
  allowedSchedulersHint: "One per line. Schedules of other schedulers do not fire. Empty: all schedulers.",
  delete: "Delete the project",
  deleteTitle: common.deleteTitle,
  deleteHint:
    "The project disappears at once. Its agents are disconnected, open commands are cancelled, and its tasks, members and API keys are deleted. This cannot be undone."
}
