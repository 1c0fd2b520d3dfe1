import { useEffect, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { copyPath, LineIcon } from "./LineIcon.tsx"

/** `navigator.clipboard` exists over https and on localhost only; a brain in a private network may have neither. */
export const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  area.className = "sr-only"
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

const confirmationMillis = 1_500

export const CopyButton = ({ children, label, text }: {
  readonly text: string
  /** What is copied. */
  readonly label: string
  readonly children?: React.ReactNode
}) => {
  const texts = useTexts()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), confirmationMillis)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      title={isCopied ? texts.copied : `${texts.copy}: ${label}`}
      aria-label={isCopied ? texts.copied : `${texts.copy}: ${label}`}
      className="inline-flex items-center gap-2 rounded-small p-0.5 text-soft hover:bg-hover hover:text-ink"
      onClick={() => void copyText(text).then(() => setCopied(true))}
    >
      <LineIcon path={copyPath} />
      {children}
      <span role="status" className={isCopied ? "text-small" : "sr-only"}>{isCopied ? texts.copied : ""}</span>
    </button>
  )
}
