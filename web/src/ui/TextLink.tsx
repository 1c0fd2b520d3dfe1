import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes } from "react"

/** The looks of a link, also of a button that leads on or a link to a file. */
export const linkClass = {
  /** Within text. */
  text: "text-accent underline underline-offset-2",
  /** In a row, where its place says that it is a link. */
  row: "hover:underline hover:underline-offset-2",
  /** The name of a row. */
  name: "font-medium hover:underline hover:underline-offset-2"
} as const

const Anchor = ({ className = "", look = "text", ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly look?: keyof typeof linkClass
}) => <a className={`${linkClass[look]} ${className}`} {...rest} />

/** A link to another page of the dashboard. */
export const TextLink = createLink(Anchor)
