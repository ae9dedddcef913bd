/** The texts of a mail in one language, with `{values}` in ICU MessageFormat. */
export interface MailMessage {
  readonly subject: string
  /** A paragraph that is empty once its values are filled in is left out. */
  readonly paragraphs: readonly string[]
  /** The label of the button. */
  readonly action?: string
  readonly footnote?: string
}

/** All texts of mails in one language. */
export interface MailMessages {
  /** How dates, times and lists are formatted, as a BCP 47 tag. */
  readonly locale: string
  readonly mails: Readonly<Record<string, MailMessage>>
  /** Phrases that mails are composed of. */
  readonly phrases: Readonly<Record<string, string>>
}
