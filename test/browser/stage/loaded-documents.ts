import type { BrowserContext, Page } from 'playwright-core'

/** The documents that a person's tabs load, in order: every navigation that has arrived. What only changes an address is none. */
export class LoadedDocuments {
  private readonly byPage = new Map<Page, string[]>()

  static async of(person: BrowserContext): Promise<LoadedDocuments> {
    const documents = new LoadedDocuments()
    await person.exposeBinding('documentLoaded', ({ page }, address: string) => documents.note(page, address))
    await person.addInitScript(
      'if (self === top && location.host) documentLoaded(location.host + location.pathname)',
    )
    return documents
  }

  /** As `host/path`, since the last call. */
  take(page: Page): string[] {
    const loaded = this.byPage.get(page) ?? []
    this.byPage.delete(page)
    return loaded
  }

  private note(page: Page, address: string): void {
    this.byPage.set(page, [...(this.byPage.get(page) ?? []), address])
  }
}
