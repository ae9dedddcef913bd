import { ApiError } from '../http/api-error.js'
import { parseForm } from '../http/form.js'
import { requiredText } from '../http/form-fields.js'
import { jsonAnswer, type PageAnswer, pageAnswer, redirectAnswer } from '../http/page-answer.js'
import type { Incoming } from '../http/received-request.js'
import type { OverviewPage } from './overview-page.js'
import type { Controls } from './sandbox-settings.js'
import type { Happenings } from './simulations.js'

/**
 * `/` for people, `/control` for programs. `GET /control` gives the settings, `POST /control` sets them, and
 * `POST /control/:happening` with an `id` lets something happen. A browser is led back to `/`.
 */
export class ControlRoutes {
  constructor(
    private readonly controls: Controls,
    private readonly happenings: Happenings,
    private readonly page: OverviewPage,
  ) {}

  /** Null when the path is not one of these. */
  answer(incoming: Incoming): PageAnswer | null {
    const { method, path } = incoming
    if (path === '/' && method === 'GET') return pageAnswer(200, this.page.show(null))
    const [, root, happening, ...more] = path.split('/')
    if (root !== 'control' || more.length > 0) return null
    if (method === 'GET' && happening === undefined) return jsonAnswer(200, this.controls.settings)
    return method === 'POST' ? this.change(incoming, happening) : null
  }

  private change(incoming: Incoming, happening?: string): PageAnswer {
    const isBrowser = incoming.headers.accept?.includes('text/html') ?? false
    try {
      refuseOtherSites(incoming)
      const fields = parseForm(incoming.body)
      if (happening === undefined) this.controls.set(fields)
      else this.happenings.run(happening, requiredText(fields, 'id'))
      return isBrowser
        ? redirectAnswer(`http://${incoming.headers.host}/`)
        : jsonAnswer(200, this.controls.settings)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, body } = error.answer()
      return isBrowser ? pageAnswer(status, this.page.show(error.message)) : jsonAnswer(status, body)
    }
  }
}

/** Any page in the developer's browser can post here; only our own may. Programs send no such header. */
function refuseOtherSites({ headers }: Incoming): void {
  const from = headers['sec-fetch-site']
  if (from === undefined || from === 'same-origin' || from === 'none') return
  throw new ApiError(403, 'invalid_request_error', 'This came from a page of another site.')
}
