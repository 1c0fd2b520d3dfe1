/** Line icons of 16 × 16, drawn for this dashboard. */
const paths = {
  overview: "M2 13h12M3.5 10.5V7M6.5 10.5V3.5M9.5 10.5V6M12.5 10.5V4.5",
  tasks: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  failures: "M8 2.2 14.2 13H1.8L8 2.2ZM8 6.5V9M8 11v.01",
  commands: "M3 4.5 6.5 8 3 11.5M8 12h5",
  queues: "M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z",
  workers: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
  agents: "M8 2v2.5M4 4.5h8v7H4zM6 7.5h.01M10 7.5h.01M6.5 9.7h3M2 7v2.5M14 7v2.5",
  projects: "M2.5 4.5h4l1.2 1.5h5.8v6.5h-11z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2v9.6L12.5 8 5 3.2Z",
  person: "M8 7.5a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4",
  retry: "M13 5.5A5.6 5.6 0 1 0 13.6 9M13.4 2.4v3.2h-3.2",
  cancel: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4 14 14",
  close: "m4 4 8 8M12 4l-8 8",
  chevron: "m6 4 4 4-4 4",
  down: "m4 6 4 4 4-4",
  back: "m9.5 3.5-4.5 4.5 4.5 4.5",
  schedules: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.4 1.6",
  notifications:
    "M3.5 11.5h9c-.8-.9-1-1.8-1-3.8C11.5 5.4 10 4 8 4S4.5 5.4 4.5 7.7c0 2-.2 2.9-1 3.8ZM6.8 13.5h2.4M8 4V2.5",
  automation: "M9 1.8 3.5 9H8l-1 5.2L12.5 7H8l1-5.2Z",
  approvals: "M2.5 8.2 6 11.7l7.5-7.5",
  activity: "M1.5 8.5h3L6.5 3l3 10 2-4.5h3",
  audit: "M4 2h6l2.5 2.5V14H4zM6.5 7.5h3.5M6.5 10h3.5",
  people:
    "M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM1.8 13c.5-2.3 2-3.5 4.2-3.5s3.7 1.2 4.2 3.5M10.8 3.4a2.1 2.1 0 0 1 0 3.9M11.8 9.8c1.3.5 2.1 1.6 2.4 3.2",
  settings: "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3",
  inbox: "M2.5 9 4.2 3h7.6l1.7 6v4h-11zM2.5 9h3.3l.8 1.6h2.8l.8-1.6h3.3",
  system: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  key: "M9.8 8.7a3.2 3.2 0 1 0-2.5-2.5L2.5 11v2.5H5V12h1.5v-1.5H8l1.8-1.8ZM10.8 5.2h.01",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  add: "M8 3v10M3 8h10",
  edit: "m3 13 .7-2.9L10.6 3.2l2.2 2.2-6.9 6.9L3 13Z",
  delete: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  bookmark: "M4 2.5h8v11L8 10.5l-4 3z",
  download: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
  columns: "M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9",
  help: "M6 6c0-1.2.9-2 2-2s2 .8 2 1.9c0 1.5-2 1.5-2 3.2M8 11.8v.2",
  rows: "M2.5 4h11M2.5 7h11M2.5 10h11M2.5 13h11"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ className = "", name }: { readonly name: IconName; readonly className?: string }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${className}`}
  >
    <path d={paths[name]} />
  </svg>
)
