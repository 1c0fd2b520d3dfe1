import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { SubscribeLink } from "../notifications/SubscribeLink.tsx"
import { projectsQuery } from "../shell/projects.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"
import { usePagedList } from "../ui/usePagedList.ts"
import { readInbox, unreadQuery } from "./queries.ts"
import { targetOf } from "./target.ts"
import { useMarkRead } from "./useMarkRead.ts"

type Notification = Schemas["UserNotification"]

const refetchMillis = 30_000

const Row = ({ notification, onRead, project }: {
  readonly notification: Notification
  readonly project: Pick<Schemas["Project"], "slug" | "name"> | undefined
  readonly onRead: () => void
}) => {
  const { inbox: texts } = useTexts()
  const { body, created_at, read_at, title } = notification
  const target = project === undefined ? null : targetOf(notification, project.slug)
  const isUnread = read_at === null
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-0">
      <span
        aria-hidden="true"
        className={`mt-2 size-2 shrink-0 rounded-full ${isUnread ? "bg-accent" : ""}`}
      />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          {target !== null
            ? (
              <TextLink
                {...target}
                look="row"
                onClick={() => isUnread && onRead()}
                className={`break-words ${isUnread ? "font-semibold" : ""}`}
              >
                {title}
              </TextLink>
            )
            : <span className={`break-words ${isUnread ? "font-semibold" : ""}`}>{title}</span>}
          {isUnread && <span className="sr-only">{texts.unread}</span>}
          {project !== undefined && <span className="text-soft">{project.name}</span>}
          <Time at={created_at} className="text-soft" />
        </div>
        {body !== null && <p className="break-words whitespace-pre-wrap text-soft">{body}</p>}
      </div>
      {isUnread && (
        <Button variant="quiet" aria-label={texts.markOneRead(title)} onClick={onRead}>{texts.markRead}</Button>
      )}
    </li>
  )
}

/** What the person is notified of in the dashboard, newest first. */
export const InboxPage = () => {
  const { unread: isUnread = false } = useSearch({ from: "/signed-in/inbox" })
  const { deliveries, inbox: texts, notifications } = useTexts()
  const navigate = useNavigate()
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: unread = 0 } = useQuery(unreadQuery)
  const list = usePagedList({
    key: ["inbox", "list", isUnread],
    read: (cursor) => readInbox(isUnread, cursor),
    refetchMillis
  })
  const read = useMarkRead()
  const readAll = useAction(["inbox"], () => unwrap(api.POST("/api/v1/user/notifications/read-all")))
  return (
    <>
      <PageHeader title={texts.title}>
        <label className="flex items-center gap-2 text-soft">
          <input
            type="checkbox"
            checked={isUnread}
            onChange={() => void navigate({ to: "/inbox", search: isUnread ? {} : { unread: true } })}
          />
          {texts.onlyUnread}
        </label>
        <Button disabled={unread === 0 || readAll.isPending} onClick={() => readAll.mutate()}>
          {texts.markAllRead}
        </Button>
        <TextLink to="/account/notifications" search={{}} className="ml-auto">
          {notifications.own}
        </TextLink>
      </PageHeader>
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={isUnread
          ? (
            <EmptyState title={texts.noneUnread}>
              <Link to="/inbox" search={{}} className={buttonClass()}>{deliveries.clearFilter}</Link>
            </EmptyState>
          )
          : (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              <SubscribeLink />
            </EmptyState>
          )}
      >
        <ul data-rows aria-label={texts.title} className="mx-4 mb-4 rounded-base border border-line bg-paper">
          {list.rows.map((notification) => (
            <Row
              key={notification.id}
              notification={notification}
              project={projects.find(({ id }) => id === notification.project_id)}
              onRead={() => read.mutate(notification.id)}
            />
          ))}
        </ul>
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}
