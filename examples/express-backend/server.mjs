import { accessTokenVerifier, callerOf } from '@mainstay-auth/verify'
import { expressGuard } from '@mainstay-auth/verify/express'
import express from 'express'

const MOST_ORDERS = 1_000

/** The orders of shops, for whoever brings an access token of the service: each account sees and writes its own. */
export function ordersServer(issuer) {
  const verifier = accessTokenVerifier({ issuer })
  const ordersByAccount = new Map()
  const server = express()
  server.disable('x-powered-by')
  server.use(express.json({ limit: '10kb' }))

  server.get('/orders', expressGuard(verifier, 'viewReports'), (request, response) => {
    response.json({ orders: ordersByAccount.get(callerOf(request).accountId) ?? [] })
  })

  server.post('/orders', expressGuard(verifier, 'dataEntry'), (request, response) => {
    const { article, quantity } = request.body ?? {}
    if (typeof article !== 'string' || !article.trim() || !Number.isInteger(quantity) || quantity < 1) {
      response.status(400).json({ detail: 'article is a text, quantity a whole number from 1' })
      return
    }
    const { accountId, userId } = callerOf(request)
    const order = { article: article.trim(), quantity, enteredBy: userId, at: new Date().toISOString() }
    const before = ordersByAccount.get(accountId) ?? []
    // In memory, so not for ever.
    ordersByAccount.set(accountId, [...before, order].slice(-MOST_ORDERS))
    response.status(201).json(order)
  })

  return server
}
