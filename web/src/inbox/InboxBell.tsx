import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { useLiveChanges, useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Icon } from "../ui/Icon.tsx"
import { unreadQuery, unreadRefetchMillis } from "./queries.ts"

/** The way to the inbox, with the number of unread notifications. */
export const InboxBell = () => {
  const { inbox: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const refetchInterval = useRefetchInterval(unreadRefetchMillis)
  const { data: unread = 0 } = useQuery({ ...unreadQuery, refetchInterval })
  useLiveChanges(useMemo(() => ({
    onInbox: (count) => {
      queries.setQueryData(unreadQuery.queryKey, count)
      void queries.invalidateQueries({ queryKey: ["inbox", "list"] })
    },
    onGap: () => void queries.invalidateQueries({ queryKey: ["inbox"] })
  }), [queries]))
  const label = unread === 0 ? texts.title : texts.titleWith(format.count(unread))
  return (
    <Link
      to="/inbox"
      search={{}}
      aria-label={label}
      title={label}
      className="inline-flex h-7.5 items-center gap-1 rounded-base px-2 text-soft hover:bg-hover hover:text-ink"
    >
      <Icon name="notifications" />
      {unread > 0 && <Badge>{format.compact(unread)}</Badge>}
    </Link>
  )
}
