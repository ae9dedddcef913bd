import type { Branding } from '../platform/database/schema/columns.js'

/**
 * A message before layout: plain text, from which both text and HTML are made. {@link MailLanguage.mail}
 * writes it.
 */
export interface Mail {
  /** BCP 47. */
  readonly language: string
  readonly subject: string
  /** The site that it is about, by its readable name: the host of an origin. */
  readonly site: string
  readonly paragraphs: readonly string[]
  /** The one thing to do, if any; `isForAlarm` if most readers have nothing to do. `url` comes from {@link SiteUrls}. */
  readonly action?: { readonly label: string; readonly url: string; readonly isForAlarm?: boolean }
  /** What to do if you did not ask for this. */
  readonly footnote?: string
  /** Of the satellite that the mail is about; see {@link Mailer.postAbout}. */
  readonly branding?: Branding
}

/** The recipient of a mail. A user is a valid recipient. */
export interface Recipient {
  readonly email: string
  /** The language to write in, as a BCP 47 tag; null while it is not known. */
  readonly language: string | null
}

/** Sends mails; call it after the commit. */
export type SendMails = () => void

export const NO_MAILS: SendMails = () => {}

/** All of these, in this order. */
export function inOrder(...sends: readonly SendMails[]): SendMails {
  return () => {
    for (const send of sends) send()
  }
}
