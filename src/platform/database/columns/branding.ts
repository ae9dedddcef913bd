/** How a satellite looks in mails and on the page that logs people in for it. */
export interface Branding {
  readonly name: string
  /** `https`; null for none. */
  readonly logoUrl: string | null
  /** Of buttons and links, such as `#1d4ed8`. */
  readonly accent: string
  readonly background: string
}
