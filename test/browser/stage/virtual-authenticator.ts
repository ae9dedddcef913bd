import type { CDPSession, Page } from 'playwright-core'

/** What makes passkeys in the browser of a tab, as the fingerprint reader of a laptop does. */
export interface VirtualAuthenticator {
  readonly device: CDPSession
  readonly authenticatorId: string
}

/** `isTouched`: whenever something asks for it; otherwise the test has to say so. */
export async function addAuthenticator(
  page: Page,
  { isTouched }: { readonly isTouched: boolean },
): Promise<VirtualAuthenticator> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: isTouched,
    },
  })
  return { device, authenticatorId }
}
