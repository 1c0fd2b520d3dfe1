/** A dot for a step of a list: filled once it is done. The text beside it says so too. */
export const DoneMark = ({ isDone }: { readonly isDone: boolean }) => (
  <span
    aria-hidden="true"
    className={`size-2.5 shrink-0 rounded-full border ${
      isDone ? "border-success bg-success" : "border-dashed border-waiting"
    }`}
  />
)
