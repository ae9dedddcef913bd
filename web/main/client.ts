import { mainClient } from '../../packages/client/src/index.js'
import { site } from '../pieces/site.js'

export const client = mainClient({ baseUrl: site.apiUrl })
