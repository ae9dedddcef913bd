import type { Route } from 'playwright-core'
import { MAIN } from './hosts.js'

/** Of an answer that a test gives in the place of the API: the main site may read it. */
export const ALLOWED = {
  'Access-Control-Allow-Origin': MAIN,
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Headers': 'authorization, content-type',
}

/** To a preflight. */
export const YES = { status: 204, headers: ALLOWED }

export function isPreflight(route: Route): boolean {
  return route.request().method() === 'OPTIONS'
}
