import type { ReactNode } from "react"
import { ApiError } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "./Button.tsx"
import { CopyButton } from "./CopyButton.tsx"

/** What a list shows while it has nothing: what that means, and what to do next. */
export const EmptyState = ({ children, hint, title }: {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}) => (
  <div className="grid place-items-center gap-2 px-6 py-12 text-center">
    <p className="text-large font-medium">{title}</p>
    {hint !== undefined && <p className="max-w-[48ch] text-balance text-soft">{hint}</p>}
    {children}
  </div>
)

/** The sentence of a failure for people: that of the problem document, in English, or the dashboard's own. */
export const useErrorText = () => {
  const { error: texts } = useTexts()
  return (error: unknown): string => {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
    if (error.status === 0) return texts.unreachable
    return error.detail === "" ? texts.noProblem(String(error.status)) : error.detail
  }
}

/** Null where no request failed: without a response, in a refusal of the dashboard itself, and while an action awaits approval. */
export const requestIdOf = (error: unknown): string | null =>
  error instanceof ApiError && error.code !== "approval_required" ? error.requestId : null

/** What a toast says of a failure. */
export const useProblem = () => {
  const textOf = useErrorText()
  return (error: unknown) => ({ text: textOf(error), requestId: requestIdOf(error) })
}

/** By the id of its request an admin finds a failure in the log of the brain. */
export const RequestId = ({ id }: { readonly id: string }) => {
  const { error: texts } = useTexts()
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-soft">
      {texts.requestId} <code className="font-mono text-small break-all">{id}</code>
      <CopyButton text={id} label={texts.requestId} />
    </span>
  )
}

export const ErrorNotice = ({ error, isPage = false, onRetry, title }: {
  readonly error: unknown
  /** The page shows nothing else: the notice is its title too. */
  readonly isPage?: boolean
  readonly title?: string
  readonly onRetry?: () => void
}) => {
  const { error: texts } = useTexts()
  const textOf = useErrorText()
  const requestId = requestIdOf(error)
  const Title = isPage ? "h1" : "p"
  return (
    <div role="alert" className="m-4 rounded-base border border-line bg-paper p-4">
      <Title className="font-medium text-failure">{title ?? texts.title}</Title>
      <p className="mt-1 max-w-[72ch]">{textOf(error)}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {onRetry !== undefined && <Button onClick={onRetry}>{texts.retry}</Button>}
        {requestId !== null && <RequestId id={requestId} />}
      </div>
    </div>
  )
}

export const Loading = () => {
  const texts = useTexts()
  return (
    <p role="status" className="px-6 py-12 text-center text-soft">
      {texts.loading}…
    </p>
  )
}
