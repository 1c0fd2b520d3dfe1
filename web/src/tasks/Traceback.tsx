import { readTraceback } from "./tracebackLines.ts"

/** The frames of one's own code stand out from those of libraries. */
export const Traceback = ({ text }: { readonly text: string }) => (
  <pre className="max-h-105 overflow-auto px-4 py-3 font-mono text-[12px] leading-4.5" tabIndex={0}>
    {readTraceback(text).map(({ isForeign, text }, index) => (
      <span key={index} className={`block ${isForeign ? "text-soft" : ""}`}>{text === "" ? " " : text}</span>
    ))}
  </pre>
)
