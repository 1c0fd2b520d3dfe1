import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { closePath, LineIcon } from "./LineIcon.tsx"
import { RequestId } from "./Notices.tsx"
import { linkClass } from "./TextLink.tsx"

export interface Toast {
  readonly title: string
  readonly text: string
  readonly tone: "plain" | "good" | "bad"
  /** Of the request that failed; null where no response arrived. */
  readonly requestId?: string | null
  /** A button below the text; it closes the toast. */
  readonly action?: { readonly text: string; readonly run: () => void }
}

interface Toaster {
  /** Shows it until it is closed; the returned functions change its text, and close it. */
  readonly show: (toast: Toast) => {
    readonly replace: (change: Partial<Toast>) => void
    readonly close: () => void
  }
}

const ToasterContext = createContext<Toaster>({ show: () => ({ replace: () => {}, close: () => {} }) })

export const useToast = () => useContext(ToasterContext)

const tones = { plain: "text-ink", good: "text-success", bad: "text-failure" } as const

/** A good outcome needs no one to close it, unless it brings a button. */
const goodMillis = 6_000

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const texts = useTexts()
  const [toasts, setToasts] = useState<ReadonlyArray<Toast & { readonly id: number }>>([])
  const lastId = useRef(0)
  const toaster = useMemo<Toaster>(() => {
    const remove = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id))
    return {
      show: (toast) => {
        const id = ++lastId.current
        setToasts((shown) => [...shown, { ...toast, id }])
        return {
          replace: (change) => {
            setToasts((shown) => shown.map((one) => (one.id === id ? { ...one, ...change } : one)))
            if (change.tone === "good" && change.action === undefined) setTimeout(() => remove(id), goodMillis)
          },
          close: () => remove(id)
        }
      }
    }
  }, [])
  const close = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id))
  return (
    <ToasterContext value={toaster}>
      {children}
      <div
        role="region"
        aria-live="polite"
        aria-label={texts.notices.label}
        className="pointer-events-none fixed right-4 bottom-4 z-30 grid w-[min(24rem,calc(100vw-32px))] gap-2 max-md:bottom-18"
      >
        {toasts.map(({ action, id, requestId = null, text, title, tone }) => (
          <div
            key={id}
            className="pointer-events-auto flex items-start gap-3 rounded-base border border-line bg-paper p-3 shadow-xl"
          >
            <div className="min-w-0 flex-1">
              <p className={`truncate font-medium ${tones[tone]}`}>{title}</p>
              <p className="break-words text-soft">{text}</p>
              {requestId !== null && <RequestId id={requestId} />}
              {action !== undefined && (
                <button
                  type="button"
                  className={`${linkClass.text} mt-0.5`}
                  onClick={() => {
                    action.run()
                    close(id)
                  }}
                >
                  {action.text}
                </button>
              )}
            </div>
            <button
              type="button"
              aria-label={texts.close}
              className="rounded-small p-0.5 text-soft hover:bg-hover hover:text-ink"
              onClick={() => close(id)}
            >
              <LineIcon path={closePath} />
            </button>
          </div>
        ))}
      </div>
    </ToasterContext>
  )
}
