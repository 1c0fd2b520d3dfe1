/** Python prints frames of libraries from site-packages, Node from node_modules and its own modules. */
const foreignFrame = /site-packages|dist-packages|node_modules|node:internal|\/lib\/python\d/

/** The frames of one's own code stand out from those of libraries. */
export const Traceback = ({ text }: { readonly text: string }) => (
  <pre className="max-h-[420px] overflow-auto px-5 py-4 font-mono text-[12px] leading-[18px]" tabIndex={0}>
    {text.split("\n").map((line, index) => (
      <span key={index} className={`block ${foreignFrame.test(line) ? "text-soft" : ""}`}>{line === "" ? " " : line}</span>
    ))}
  </pre>
)
