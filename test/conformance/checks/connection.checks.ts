import { expect } from '@jest/globals'
import { afterwards, type Check } from '../scene.js'

/** Sentences about the connection that a request came on. */
export const connectionChecks: Readonly<Record<string, Check>> = {
  'connection closed; next request on a new connection is normal': afterwards(
    async ({ service }, [answer]) => {
      expect(answer).toMatchObject({ isClosed: true })
      const next = await service.request({ path: '/api/data' })
      expect(next).toMatchObject({ status: 401, json: { code: 'ACCESS_TOKEN_REQUIRED' } })
    },
  ),
}
