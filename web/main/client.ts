import { mainClient } from '@mainstay-auth/client'
import { site } from '../pieces/site.js'

export const client = mainClient({ baseUrl: site.apiUrl })
