import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

describe('Faults', () => {
  it.each([
    ['refuse', 'StripeConnectionError', 0],
    ['hang', 'StripeConnectionError', 0],
    ['error-500', 'StripeAPIError', 0],
    ['rate-limit', 'StripeRateLimitError', 0],
    ['answer-then-reset', 'StripeConnectionError', 1],
  ] as const)('%s', async (fault, type, made) => {
    stage.sandbox.fault = fault
    const options = { idempotencyKey: 'key-1' }
    await expect(stage.stripe.customers.create({}, options)).rejects.toMatchObject({ type })
    expect(stage.sandbox.customers()).toHaveLength(made)
    expect(stage.sandbox.requests[0]).toMatchObject({ path: '/v1/customers', idempotencyKey: 'key-1' })
    stage.sandbox.fault = null
    await stage.stripe.customers.create({}, options)
    expect(stage.sandbox.customers()).toHaveLength(1)
  })
})
