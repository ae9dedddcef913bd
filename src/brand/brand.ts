/** How the installation presents itself on the main site, in mails and at the payment sandbox. */
export interface Brand {
  readonly name: string
  /** `https`; null for none. */
  readonly logoUrl: string | null
  /** Of buttons and links: `#rrggbb`, as chosen. `accentsOf` makes it legible. */
  readonly accent: string
  /** Of a satellite's own pages: `#rrggbb`, as chosen. `backgroundOf` makes text on it legible. */
  readonly background?: string
  /** Where people get help: `https:` or `mailto:`; null where nobody says. */
  readonly supportUrl: string | null
}
