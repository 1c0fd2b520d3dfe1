import { AttentionList } from "../attention/AttentionList.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import type { useProjectAttention } from "./useProjectAttention.ts"

/** What needs attention in a project, once it is read. */
export const ProjectAttention = ({ attention: { detailOf, home, items }, isClipped }: {
  readonly attention: ReturnType<typeof useProjectAttention>
  readonly isClipped?: boolean
}) => {
  if (items !== undefined) {
    return <AttentionList items={items} detailOf={detailOf} {...(isClipped !== undefined && { isClipped })} />
  }
  return home.isError ? <ErrorNotice error={home.error} onRetry={() => void home.refetch()} /> : null
}
