import '../styles/site.css'
import { showBrand } from '../pieces/brand.js'
import { startPage } from '../pieces/language/start.js'
import { App } from './app.js'

showBrand()
startPage(() => <App />, ['en'])
