import { itemStorage, satelliteClient } from '@mainstay-auth/client'
import { handOff } from '@mainstay-auth/client/handoff'

// Both are set when the site is built; start.mjs does that here.
declare const MAINSTAY_URL: string
declare const MAIN_SITE_URL: string

/** One for the whole site: every tab shares the session. */
export const client = satelliteClient({ baseUrl: MAINSTAY_URL, storage: itemStorage(() => localStorage) })
export const { loginThroughMain, completeHandOff } = handOff(client, { mainUrl: MAIN_SITE_URL })
