import { Injectable } from '@nestjs/common'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'

/** Pages of the main site that mails link to. */
export const MAILED_PAGES = [
  '/verify-email',
  '/reset-password',
  '/accept-invitation',
  '/confirm-email',
  '/undo-email',
  '/not-me',
  '/accept-transfer',
  '/stop-transfer',
  '/factor-reset',
] as const
export type MailedPage = (typeof MAILED_PAGES)[number]

/** Builds the links in mails, only to our own sites. */
@Injectable()
export class SiteUrls {
  constructor(
    private readonly settings: Settings,
    private readonly satellites: Satellites,
  ) {}

  /**
   * A page of the main site with a token after the `#`. Browsers never send that part, so it appears in no
   * log and no Referer.
   */
  toMainSite(page: MailedPage, token: string): string {
    return `${this.settings.mainOrigin}${page}#token=${token}`
  }

  /**
   * The front page of the main site or of a satellite. Throws an Error for any other origin, because a mail
   * must not lead people elsewhere.
   */
  toSite(origin: string): string {
    if (origin !== this.settings.mainOrigin && !this.satellites.has(origin))
      throw new Error(`${origin} is not a listed origin, so no mail may link to it`)
    return `${origin}/`
  }

  /** The front page of the main site. */
  frontPage(): string {
    return this.toSite(this.settings.mainOrigin)
  }

  /** The main site in a mail about it: its readable name, and its front page for the button. */
  get mainSite(): { readonly site: string; readonly url: string } {
    return { site: this.siteName, url: this.frontPage() }
  }

  /** The page for requesting a new password. */
  forgotPassword(): string {
    return `${this.settings.mainOrigin}/forgot-password`
  }

  /** The page where an account's satellites are suspended. */
  satellitesPage(): string {
    return `${this.settings.mainOrigin}/account/satellites`
  }

  /** The page where an account's plan is paid for. */
  billingPage(): string {
    return `${this.settings.mainOrigin}/account/billing`
  }

  /** The readable name of the main site. */
  get siteName(): string {
    return this.settings.brand.name
  }
}

/** The token in a link from {@link SiteUrls.toMainSite}; null for any other link. */
export function tokenIn(url: string): string | null {
  return /#token=([A-Za-z0-9_-]+)$/.exec(url)?.[1] ?? null
}
