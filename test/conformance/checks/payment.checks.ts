import { expect } from '@jest/globals'
import type { Check } from '../scene.js'
import type { Service } from '../service/service.js'

/** Sentences about what was started at the payment provider. */
export const paymentChecks: Readonly<Record<string, Check>> = {
  'no checkout session created': async ({ service }) => {
    const before = attempts(service)
    return () => expect(attempts(service)).toEqual(before)
  },

  'exactly one checkout session': async ({ cast, service }) => {
    const { accountId } = await cast.owner('U1')
    const ofAccount = () =>
      service.sandbox.checkouts().filter(({ client_reference_id }) => client_reference_id === accountId)
    expect(ofAccount()).toHaveLength(0)
    return ([answer]) => expect(ofAccount().map(({ url }) => url)).toEqual([answer!.json.checkoutUrl])
  },
}

/** What the provider was asked to make, whatever came of it. */
function attempts({ sandbox }: Service): unknown {
  const posts = sandbox.requests.filter(({ method }) => method === 'POST')
  return { checkouts: sandbox.checkouts().length, posts: posts.length }
}
