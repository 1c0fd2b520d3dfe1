import type { ButtonHTMLAttributes } from "react"

const variants = {
  primary: "bg-accent text-inverse hover:opacity-85 border-transparent",
  plain: "bg-paper text-ink border-line hover:bg-hover active:bg-press",
  quiet: "bg-transparent text-soft hover:text-ink hover:bg-hover active:bg-press border-transparent",
  danger: "bg-paper text-failure border-line hover:bg-failure-tint"
} as const

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: keyof typeof variants
}

/** The look of a button, also for a link that leads on as one. */
export const buttonClass = (variant: keyof typeof variants = "plain") =>
  `inline-flex h-7.5 items-center justify-center gap-2 rounded-base border px-3 font-medium whitespace-nowrap transition-colors duration-100 disabled:opacity-50 ${
    variants[variant]
  }`

export const Button = ({ className = "", variant = "plain", type = "button", ...rest }: ButtonProps) => (
  <button type={type} className={`${buttonClass(variant)} ${className}`} {...rest} />
)
