import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Count } from "../i18n/plural.ts"
import { QueueLink } from "../queues/QueueLink.tsx"

export type AttentionItem = Schemas["AttentionItem"]

/** Where a person looks after an item: the list of what it counts, where there is one. */
const places: Readonly<Record<AttentionItem["kind"], { readonly to: string; readonly search?: object }>> = {
  agents_offline: { to: "/projects/$slug/agents" },
  agents_refused: { to: "/projects/$slug/agents" },
  alerts_open: { to: "/projects/$slug/notifications" },
  approvals_waiting: { to: "/projects/$slug/approvals" },
  failure_rate: { to: "/projects/$slug/failures", search: { hours: 24 } },
  failure_groups_regressed: { to: "/projects/$slug/failures", search: { status: "regressed" } },
  failure_groups_escalating: { to: "/projects/$slug/failures", search: { hours: 24, sort: "escalating" } },
  failure_groups_new: { to: "/projects/$slug/failures", search: { hours: 24, status: "ongoing" } },
  queue_unconsumed: { to: "/projects/$slug/queues" },
  queue_depth: { to: "/projects/$slug/queues" },
  queue_growth: { to: "/projects/$slug/queues" },
  queue_over_target: { to: "/projects/$slug/queues" },
  stuck_commands: { to: "/projects/$slug/commands" },
  schedule_misfires: { to: "/projects/$slug/schedules", search: { tab: "misfires" } },
  schedules_tripped: { to: "/projects/$slug/schedules", search: { state: "disabled" } },
  channels_disabled: { to: "/projects/$slug/notifications", search: { part: "channels" } },
  breakers_tripped: { to: "/projects/$slug/automation" }
}

/** A queue, failure group, alert or approval of an item, with its own page. */
const TargetLink = ({ item, target: { engine, id, name } }: {
  readonly item: AttentionItem
  readonly target: AttentionItem["targets"][number]
}) => {
  const slug = item.project_slug
  const className =
    "relative block w-fit max-w-full truncate py-0.5 text-soft hover:text-ink hover:underline hover:underline-offset-2"
  switch (item.kind) {
    case "alerts_open":
      return (
        <Link
          to="/projects/$slug/notifications/alerts/$alertId"
          params={{ slug, alertId: id }}
          className={className}
        >
          {name}
        </Link>
      )
    case "approvals_waiting":
      return <Link to="/projects/$slug/approvals" params={{ slug }} search={{ id }} className={className}>{name}</Link>
    case "failure_groups_regressed":
    case "failure_groups_new":
    case "failure_groups_escalating":
      return (
        <Link to="/projects/$slug/failures/$fingerprint" params={{ slug, fingerprint: id }} className={className}>
          {name}
        </Link>
      )
    default: // a queue, which has its engine
      return <QueueLink slug={slug} engine={engine ?? ""} name={name} className={className} />
  }
}

/** A filled triangle for what is critical, an outlined one for a warning: the colour is not needed to distinguish them. */
const SeverityMark = ({ severity }: { readonly severity: AttentionItem["severity"] }) => {
  const { attention: texts } = useTexts()
  const isCritical = severity === "critical"
  return (
    <span
      className={`inline-flex w-21 shrink-0 items-center gap-2 font-medium ${
        isCritical ? "text-failure" : "text-retry"
      }`}
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" className="shrink-0">
        <path
          d="M7 1.5 13 12H1Z"
          fill={isCritical ? "currentColor" : "none"}
          stroke="currentColor"
          strokeWidth="1.6"
          strokeLinejoin="round"
        />
      </svg>
      {texts.severities[severity]}
    </span>
  )
}

/** What needs attention now, the worst first; each item leads to its place. */
export const AttentionList = ({ detailOf, isClipped = false, items, showProject = false }: {
  readonly items: ReadonlyArray<AttentionItem>
  readonly showProject?: boolean
  /** Of a wall: as high as its place, without items that do not fit whole; the title counts them too. */
  readonly isClipped?: boolean
  /** What the page knows beyond the item's sentence, such as why an agent was refused. */
  readonly detailOf?: (item: AttentionItem) => ReadonlyArray<string>
}) => {
  const { attention: texts } = useTexts()
  const format = useFormat()
  const kinds: Readonly<Partial<Record<string, (count: Count) => string>>> = texts.kinds
  /** In the words of the brain, in English, where only a newer brain knows the kind. */
  const sentenceOf = ({ count, kind, message }: AttentionItem) =>
    count === null ? message : kinds[kind]?.(format.count(count)) ?? message
  return (
    <section
      aria-labelledby="attention"
      className={`mx-4 rounded-base border border-line bg-paper ${isClipped ? "lg:flex lg:min-h-0 lg:flex-col" : ""}`}
    >
      <h2 id="attention" className="border-b border-line px-4 py-2 font-semibold">
        {texts.title}
        {isClipped && <span className="figures ml-2 font-normal text-soft">{format.number(items.length)}</span>}
      </h2>
      {items.length === 0 ? <p className="px-4 py-3 text-soft">{texts.calm}</p> : (
        // the next column is outside
        <ul className={isClipped ? "lg:flex lg:min-h-0 lg:flex-1 lg:flex-col lg:flex-wrap lg:overflow-clip" : ""}>
          {items.map((item) => (
            <li
              key={`${item.project_id} ${item.kind}`}
              className="relative flex w-full gap-3 border-b border-line px-4 py-1.5 last:border-0 hover:bg-hover max-md:flex-wrap"
            >
              <SeverityMark severity={item.severity} />
              {showProject && <span className="w-30 shrink-0 truncate font-medium">{item.project_name}</span>}
              <div className="min-w-0">
                <Link
                  {...places[item.kind]}
                  params={{ slug: item.project_slug }}
                  // as high as a finger needs; the whole row leads there, but for its own links
                  className="inline-block py-0.5 after:absolute after:inset-0"
                >
                  {sentenceOf(item)}
                </Link>
                {detailOf?.(item).map((line) => <p key={line} className="text-soft">{line}</p>)}
                {item.targets.map((target) => <TargetLink key={target.id} item={item} target={target} />)}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
