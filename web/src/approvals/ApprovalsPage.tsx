import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCan } from "../session/permissions.ts"
import { buttonClass } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { ApprovalDetails } from "./ApprovalDetails.tsx"
import { type Approval, approvalQuery, approvalsKey, type ApprovalStatus } from "./queries.ts"

const colours: Readonly<Record<ApprovalStatus, string>> = {
  pending: "text-waiting",
  approved: "text-success",
  failed: "text-failure",
  rejected: "text-stopped",
  expired: "text-waiting"
}

const refetchMillis = 10_000
const pageSize = 50

const ApprovalItem = ({ approval, isOpen, slug }: {
  readonly slug: string
  readonly approval: Approval
  readonly isOpen: boolean
}) => {
  const { approvals: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  const { created_at, expires_at, id, requested_by, requested_by_name, status, summary } = approval
  return (
    <li className="border-b border-line last:border-0">
      <Link
        from="/projects/$slug/approvals"
        to="."
        search={({ id: _, ...search }) => (isOpen ? search : { ...search, id })}
        replace
        aria-expanded={isOpen}
        className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-hover"
      >
        <Icon name={isOpen ? "down" : "chevron"} className="self-center text-soft" />
        <span className="font-medium">{summary}</span>
        <span className="text-soft">{texts.requestedByName(nameOf(requested_by, requested_by_name))}</span>
        <span className="figures ml-auto flex gap-3 text-soft">
          <span className={colours[status]}>{texts.tabs[status]}</span>
          <Time at={status === "pending" ? expires_at : created_at} isPlanned={status === "pending"} />
        </span>
      </Link>
      {isOpen && <ApprovalDetails slug={slug} approval={approval} />}
    </li>
  )
}

/** What waits for a second person, and what became of it. A link to one of them opens it, whatever its status is. */
export const ApprovalsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/approvals" })
  const { id, status = "pending" } = useSearch({ from: "/signed-in/projects/$slug/approvals" })
  const navigate = useNavigate({ from: "/projects/$slug/approvals" })
  const { approvals: texts, nav } = useTexts()
  const isAdmin = useCan(slug, "admin")
  const list = usePagedList({
    key: [...approvalsKey(slug), "list", status],
    read: (cursor) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/approvals", {
          params: {
            path: { slug },
            query: { limit: pageSize, ...(status !== "all" && { status }), ...(cursor !== null && { cursor }) }
          }
        })
      ),
    refetchMillis
  })
  const isListed = list.rows.some((row) => row.id === id)
  const linked = useQuery({
    ...approvalQuery(slug, id ?? ""),
    enabled: id !== undefined && !isListed && !list.isPending
  })
  // an opened one stays on screen when it leaves the list, as after a decision
  const rows = linked.data !== undefined && id !== undefined && !isListed ? [linked.data, ...list.rows] : list.rows
  const { all, ...tabs } = texts.tabs
  return (
    <>
      <PageHeader title={texts.title} />
      <p className="max-w-[72ch] px-4 pb-3 text-soft">{texts.intro}</p>
      <Tabs
        label={texts.filter}
        tabs={{ ...tabs, all }}
        value={status}
        onChoose={(tab) => void navigate({ search: tab === "pending" ? {} : { status: tab } })}
      />
      <div className="pt-4">
        <ListFrame
          list={list}
          isEmpty={rows.length === 0}
          empty={status === "pending"
            ? (
              <EmptyState title={texts.none} hint={texts.noneHint}>
                {isAdmin && (
                  <Link to="/projects/$slug/settings" params={{ slug }} className={buttonClass()}>{nav.settings}</Link>
                )}
              </EmptyState>
            )
            : <EmptyState title={texts.noneOfStatus} />}
        >
          <ul data-rows aria-label={texts.title} className="mx-4 mb-4 rounded-base border border-line bg-paper">
            {rows.map((approval) => (
              <ApprovalItem key={approval.id} slug={slug} approval={approval} isOpen={approval.id === id} />
            ))}
          </ul>
          <MoreButton list={list} />
        </ListFrame>
      </div>
    </>
  )
}
