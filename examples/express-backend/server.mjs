import { accessTokenVerifier, callerOf } from '@mainstay-auth/verify'
import { expressGuard } from '@mainstay-auth/verify/express'
import express from 'express'

const MOST_ORDERS = 1_000

/** The orders of shops, for callers with an access token of the service: each account sees and writes its own. */
export function ordersServer(issuer) {
  const verifier = accessTokenVerifier({ issuer })
  const ordersByAccount = new Map()
  const server = express()
  server.disable('x-powered-by')

  server.get('/orders', expressGuard(verifier, 'viewReports'), (request, response) => {
    response.json({ orders: ordersByAccount.get(callerOf(request).accountId) ?? [] })
  })

  // The body is parsed only for callers who may send one.
  server.post(
    '/orders',
    expressGuard(verifier, 'dataEntry'),
    express.json({ limit: '10kb' }),
    (request, response) => {
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
    },
  )

  // Express's own answer to a body that is not JSON contains the stack trace, except with NODE_ENV=production.
  server.use((error, _request, response, next) => {
    if (response.headersSent) return next(error)
    if (!error.expose) console.error(error)
    response
      .status(error.expose ? error.status : 500)
      .json({ detail: error.expose ? error.message : 'Something went wrong here; try again' })
  })

  return server
}
