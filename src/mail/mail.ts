import type { Branding } from '../database/columns/branding.js'

/** One message before layout: plain text that becomes text and HTML. {@link MailLanguage.mail} writes it. */
export interface Mail {
  /** BCP 47. */
  readonly language: string
  readonly subject: string
  /** Which site it is about, as people know it: the host of an origin. */
  readonly site: string
  readonly paragraphs: readonly string[]
  /** The one thing to do, if any. `url` comes from {@link SiteUrls}. */
  readonly action?: { readonly label: string; readonly url: string }
  /** What to do if one did not ask for this. */
  readonly footnote?: string
  /** Of the satellite that it is about; see {@link Mailer.postAbout}. */
  readonly branding?: Branding
}

/** Where a mail goes. Users are receivers. */
export interface Receiver {
  readonly email: string
  /** In which it is written, by its BCP 47 name; null while it is not known. */
  readonly language: string | null
}
