/** A mail in the words of one language, with `{values}` in ICU MessageFormat. */
export interface MailMessage {
  readonly subject: string
  /** One that is empty with its values is left out. */
  readonly paragraphs: readonly string[]
  /** Of the button. */
  readonly action?: string
  readonly footnote?: string
}

/** All that mails say in one language. */
export interface MailMessages {
  /** How dates, times and lists are written, as a BCP 47 tag. */
  readonly locale: string
  readonly mails: Readonly<Record<string, MailMessage>>
  /** What mails are put together from. */
  readonly phrases: Readonly<Record<string, string>>
}
