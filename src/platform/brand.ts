/** How the installation presents itself on the main site, in mails and at the payment sandbox. */
export interface Brand {
  readonly name: string
  /** `https`; null for none. */
  readonly logoUrl: string | null
  /** The colour of buttons and links: `#rrggbb`, as chosen. `accentsOf` makes it legible. */
  readonly accent: string
  /** The colour of a satellite's own pages: `#rrggbb`, as chosen. `backgroundOf` makes text on it legible. */
  readonly background?: string
  /** Where people get help: `https:` or `mailto:`; null if not given. */
  readonly supportUrl: string | null
}
