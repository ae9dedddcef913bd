/** One message before layout: plain text that becomes text and HTML. */
export interface Mail {
  readonly subject: string
  /** Which site it is about, as people know it: the host of an origin. */
  readonly site: string
  readonly paragraphs: readonly string[]
  /** The one thing to do, if any. `url` comes from {@link Links}. */
  readonly action?: { readonly label: string; readonly url: string }
  /** What to do if one did not ask for this. */
  readonly footnote?: string
}
