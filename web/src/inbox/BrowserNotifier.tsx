import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useMemo, useRef } from "react"
import type { Schemas } from "../api/client.ts"
import { liveStream, useLiveChanges, useLiveStatus } from "../api/live.ts"
import { ofFrame } from "../api/readAt.ts"
import { projectsQuery } from "../shell/projects.ts"
import { readInbox } from "./queries.ts"
import { targetOf } from "./target.ts"
import { useIsNotifier } from "./useIsNotifier.ts"
import { useMarkRead } from "./useMarkRead.ts"

type Message = Schemas["UserNotification"]

/** Without a live stream of a project the inbox is read this often. */
const refetchMillis = 30_000
/** After a long break there can be many: the inbox has the others. */
const maxAtOnce = 5

const newestKey = ["inbox", "newest"]

const isInFront = () => document.visibilityState === "visible" && document.hasFocus()

/** The messages that came since the first read. Older ones that a deletion moves into the page are none of them. */
const useFresh = (messages: ReadonlyArray<Message> | undefined, onFresh: (fresh: ReadonlyArray<Message>) => void) => {
  const known = useRef<{ readonly ids: Set<string>; readonly oldest: string } | null>(null)
  useEffect(() => {
    if (messages === undefined) return
    known.current ??= { ids: new Set(messages.map(({ id }) => id)), oldest: messages.at(-1)?.id ?? "" }
    const { ids, oldest } = known.current
    const fresh = messages.filter(({ id, read_at }) => read_at === null && !ids.has(id) && id > oldest)
    for (const { id } of fresh) ids.add(id)
    if (fresh.length > 0) onFresh(fresh)
  })
}

const show = ({ body, id, title }: Message, onClick: () => void) => {
  try {
    const shown = new Notification(title, { tag: id, ...(body !== null && { body }) })
    shown.addEventListener("click", () => {
      window.focus()
      shown.close()
      onClick()
    })
  } catch {
    // Chrome on Android shows those of service workers only, and throws
  }
}

const useOpen = () => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { mutate: markRead } = useMarkRead()
  return async (message: Message) => {
    markRead(message.id)
    const projects = await queries.ensureQueryData(projectsQuery)
    const project = projects.find(({ id }) => id === message.project_id)
    const target = project === undefined ? null : targetOf(message, project.slug)
    await navigate(target ?? { to: "/inbox", search: {} })
  }
}

const Notifier = () => {
  const queries = useQueryClient()
  const open = useOpen()
  const isConnecting = useLiveStatus() === "connecting" // neither live, nor paused
  const { data } = useQuery({
    queryKey: newestKey,
    meta: ofFrame,
    queryFn: async () => (await readInbox(false, null)).items,
    staleTime: 0,
    gcTime: 0, // another tab may show what comes while this one does not
    refetchInterval: isConnecting && refetchMillis,
    refetchIntervalInBackground: true
  })
  useLiveChanges(useMemo(() => {
    const read = () => void queries.invalidateQueries({ queryKey: newestKey })
    return { isOfPage: false, onInbox: read, onGap: read } as const
  }, [queries]))
  useEffect(() => liveStream.stayOpen(), [])
  useFresh(data, (fresh) => {
    if (isInFront()) return
    for (const message of fresh.slice(0, maxAtOnce)) show(message, () => void open(message))
  })
  return null
}

/** Shows what is new in the inbox as notifications of the browser, in one of the open tabs. */
export const BrowserNotifier = () => useIsNotifier() && <Notifier />
