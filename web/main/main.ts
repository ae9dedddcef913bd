import '../styles/site.css'
import { startPage } from '../pieces/language.js'
import { showBrand } from '../pieces/site.js'
import { client, needsSession } from './client.js'

showBrand()
// Sent while the pages are loading; the client retries by itself.
if (needsSession(location.pathname)) client.refresh().catch(() => {})
startPage(() => import('./app.js'))
