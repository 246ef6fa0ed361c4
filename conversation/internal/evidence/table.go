package evidence

import (
	"strings"
	"sync"
)

// set returns the words of a text as a set.
func set(text string) func(word string) bool {
	words := sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for w := range strings.FieldsSeq(text) {
			m[w] = true
		}
		return m
	})
	return func(word string) bool { return words()[word] }
}

// commandKeys are the names of arguments that hold a command or a script.
var commandKeys = set("command cmd commands shell_command script bash shell sql statement code_command")

var shellLanguages = set("sh bash shell zsh fish console terminal shell-session shellsession powershell ps1 pwsh " +
	"cmd bat dockerfile_run")

// idleCommands are lines of a script that carry no information.
var idleCommands = set("ls pwd cd clear exit fi done then else do esac { } date whoami true false EOF ( ) && ||")

// programs are the names that commands begin with.
var programs = set(`git go npm npx yarn pnpm bun deno node python python3 pip pip3 uv poetry pytest tox ruff mypy black cargo rustc rustup
	make cmake ninja bazel gradle ./gradlew mvn java javac kotlinc dotnet swift xcodebuild ruby bundle gem rake rails php composer artisan
	docker docker-compose podman kubectl helm k9s kustomize terraform tofu ansible ansible-playbook vagrant packer aws gcloud az gsutil s3cmd
	psql pg_dump pg_restore mysql mysqldump sqlite3 redis-cli mongosh clickhouse-client duckdb dbt
	curl wget ssh scp rsync nc dig nslookup ping traceroute openssl gpg ssh-keygen
	ls cd cat head tail less grep rg ag fd find sed awk cut sort uniq wc xargs tee tr jq yq diff patch cp mv rm mkdir rmdir touch chmod chown ln
	tar zip unzip gzip gunzip zstd du df ps kill pkill top htop lsof netstat ss systemctl journalctl service crontab export source env
	apt apt-get brew dnf yum apk pacman snap vim nano code tsc eslint prettier jest vitest mocha playwright cypress vite webpack next
	staticcheck gofmt golangci-lint dlv gdb lldb strace perf valgrind hyperfine k6 wrk gh glab hub act pre-commit sh bash zsh pwsh watch time nohup
	Get-ChildItem Get-Content Set-Location Remove-Item Invoke-WebRequest choco winget scoop`)

// statements are the verbs of SQL. The value is the word that must follow if the
// verb is not in capitals.
var statements = map[string]string{
	"SELECT": " ", "INSERT": "INTO", "UPDATE": " SET", "DELETE": "FROM", "CREATE": "TABLE", "ALTER": "TABLE",
	"DROP": "TABLE", "EXPLAIN": "SELECT",
	"VACUUM": "", "ANALYZE": "", "WITH": " AS ", "GRANT": " ON ", "TRUNCATE": "TABLE", "COPY": "FROM", "REINDEX": "",
	"SHOW": "", "SET": " = ",
}

// extensions are the extensions of file names. They tell file names from other
// words with points.
var extensions = set(`go mod sum work py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro rs c h cc cpp cxx hpp hh m mm java kt kts
	scala clj cljs ex exs erl hrl hs ml mli fs fsx cs csproj sln vb swift rb erb php pl pm lua r R jl dart zig nim sol v sv vhd asm s S
	sh bash zsh fish ps1 psm1 bat cmd html htm css scss sass less xml xsl svg json json5 jsonl jsonc ndjson yaml yml toml ini cfg conf config
	properties env lock md mdx rst adoc txt text log csv tsv parquet arrow avro orc xlsx xls docx pdf pptx png jpg jpeg gif webp ico bmp mp3 mp4
	wav sql sqlite sqlite3 db dump sqlx prisma graphql gql proto thrift avsc tf tfvars tfstate hcl nix bzl bazel cmake make mk gradle pom
	service socket timer target rules tpl tmpl j2 jinja hbs ejs pug tar gz tgz bz2 xz zst zip 7z rar jar war whl deb rpm dmg exe dll so dylib a o
	wasm pem crt cer key csr p12 pub asc sig patch diff snap golden out prof pprof trace pid sock bak orig tmp swp map feature po pot resx plist
	pkl npz npy h5 onnx pt safetensors gguf tex bib`)

var fileNames = set(`Makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Gemfile Rakefile Podfile Brewfile Justfile
	CMakeLists.txt CODEOWNERS LICENSE .env .gitignore .gitattributes .gitmodules .gitconfig .dockerignore .npmrc .nvmrc .bashrc .zshrc .profile
	.bash_profile .editorconfig .prettierrc .eslintrc .eslintignore .babelrc .flake8 .pylintrc .envrc .netrc .vimrc .ssh .aws .kube .github
	.env.local .env.test .env.production .env.development .env.example .golangci.yml .golangci.yaml .gitlab-ci.yml .travis.yml .pre-commit-config.yaml
	.eslintrc.js .eslintrc.json .eslintrc.cjs .prettierrc.json .goreleaser.yml .goreleaser.yaml`)

// folders are the names that a path of two words may begin with.
var folders = set(`src lib libs cmd internal pkg docs doc test tests testdata spec scripts bin etc usr var tmp opt home config configs app apps
	packages modules web api server client backend frontend components pages public static assets templates migrations db sql deploy deployment
	deployments infra terraform helm charts k8s vendor node_modules dist build target out include tools examples feature fix bugfix hotfix chore
	release origin upstream refs heads pod pods svc service statefulset configmap secret job cronjob node ingress github.com gitlab.com golang.org
	data notebooks models dags sql queries reports raw`)

// products are names that look like identifiers or files, but are neither.
var products = set(`GitHub GitLab JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite MongoDB OpenAI ChatGPT YouTube LinkedIn macOS
	GraphQL WebSocket WebSockets JetBrains IntelliJ PyCharm VSCode DevOps DevTools NumPy SciPy PyTorch TensorFlow FastAPI DynamoDB BigQuery
	OAuth OAuth2 PowerShell CloudFront CloudWatch CloudFormation OpenSSL OpenTelemetry OpenAPI PayPal iPhone iPad LaTeX HashMap ReadMe README
	Node.js Vue.js Next.js Nuxt.js Express.js Three.js React.js D3.js Nest.js Alpine.js Chart.js ASP.NET node.js vue.js next.js
	McDonald PagerDuty DataDog iOS eBay WordPress WebAssembly JavaDoc CloudFlare HubSpot SalesForce OpenShift ClickHouse RabbitMQ InfluxDB CockroachDB`)

// standards are names that look like the code of an error or a ticket.
var standards = set(`UTF-8 UTF-16 UTF-32 UTF8 SHA-1 SHA-256 SHA-512 SHA256 SHA512 SHA1 ISO-8601 ISO8601 COVID-19 MD5 RSA-2048 AES-128 AES-256 AES256
	RS256 HS256 ES256 BASE64 WIN32 RFC ISO IEEE x86-64 x86_64 utf-8 utf-16 sha-256 sha-512 ISO-8859-1 HTTP2 IPV4 IPV6`)

var systemErrors = set(`ENOENT EACCES ECONNREFUSED ECONNRESET ECONNABORTED EADDRINUSE EADDRNOTAVAIL EPERM ETIMEDOUT EPIPE EEXIST ENOTFOUND EMFILE
	ENFILE ENOSPC EAGAIN EINVAL EBUSY ENOMEM EISDIR ENOTDIR ENOTEMPTY EXDEV EROFS EIO EINTR EHOSTUNREACH ENETUNREACH EPROTO EOVERFLOW ERESOLVE
	ELIFECYCLE EINTEGRITY SIGKILL SIGTERM SIGSEGV SIGABRT SIGINT SIGHUP OOMKilled`)

// tightUnits follow a number directly, looseUnits after a space.
var tightUnits = set(`Mbit/s Gbit/s MiB/s GiB/s req/s ops/s ns/op ms/op µs/op MB/op secs mins bits MB/s GB/s KB/s kB/s Mbps
	Gbps kbps /min B/op sec min hrs KiB MiB GiB TiB bit kHz MHz GHz rem fps dpi kWh mAh rps qps tps bps EUR
	USD GBP JPY CHF ns us µs μs ms hr KB MB GB TB PB kB Ki Mi Gi Ti Hz px em pt vh vw mm cm km kg mg lb kW
	mA °C °F °K /s /h pp w y B b K M G T k % ‰ x × g V W A ° € £ ¥`)

var looseUnits = set(`connections requests/s partitions messages/s allocs/op requests replicas attempts events/s Sekunden
	secondes segundos seconds minutes percent dollars records threads workers retries items/s users/s
	Minuten Stunden Prozent minutos second minute months Mbit/s Gbit/s rows/s tokens shards Wochen Zeilen
	heures lignes hours weeks month years bytes MiB/s GiB/s req/s ops/s ns/op µs/op ms/op MB/op euros cores
	jours horas filas secs mins hour days week year byte bits MB/s GB/s KB/s kB/s Mbps Gbps kbps B/op rows
	Tage días sec min hrs day KiB MiB GiB TiB kHz MHz GHz fps dpi kWh mAh rps qps tps bps EUR USD GBP JPY
	CHF SEK INR CNY ns us µs μs ms hr KB MB GB TB PB kB Hz px pt mm cm km kg mg kW mA °C °F pp s h B % ‰ V W
	€ £ ¥`)

// labels are words before a bare number that say what it is.
const labels = `sqlstate|revision|version|release|commit|status|ticket|signal|ports|errno|issue|build|shard|epoch|` +
	`port|code|http|vlan|exit|page|seed|pid|uid|gid|job|run|pr`

// versioned are names that a bare version may follow.
var versioned = set(`go python node node.js java ruby rust php postgres postgresql mysql mariadb redis sqlite kubernetes k8s ubuntu debian fedora
	alpine centos rhel windows macos ios android chrome firefox safari typescript react angular vue django rails spring laravel kafka elasticsearch
	nginx terraform helm docker swift kotlin scala gradle maven npm pnpm yarn bun deno clang gcc llvm cuda pandas numpy spark airflow`)

// troubles are the words that report an error.
var troubles = []string{"error:", "error[", "error TS", "error -", ": error ", "rror: ", "ERROR", "FAIL", "failed:",
	"Failed", "panic:", "fatal:", "FATAL", "undefined:", "xception:",
	"Traceback", "annot find", "denied", "refused", "ot found", "o such ", "imed out", "OOMKilled", "CrashLoop",
	"ErrImagePull", "expected:", "unresolved", "CRITICAL"}

// codeLines are the beginnings of lines of code.
var codeLines = []string{"import ", "from ", "def ", "func ", "class ", "return ", "return\n", "if ", "for ", "const ",
	"let ", "var ", "export ", "public ", "private ",
	"static ", "#include", "//", "/*", "* ", "@", "fn ", "use ", "package ", "async ", "await ", "else", "elif ",
	"try", "except ", "raise ", "with ", "self.", "type ", "interface "}

// idleLines are the beginnings of lines that report success.
var idleLines = []string{"--- PASS", "--- SKIP", "=== RUN", "=== PAUSE", "=== CONT", "===", "ok  ", "PASS", "?   \t",
	"✓", "✔", "drwx", "total "}

// decisionWords mark a sentence that states a decision.
var decisionWords = []string{
	"decision:", "decided to", "decided on", "decided:", "we agreed", "agreed to", "let's go with", "let's use",
	"we'll use", "we will use", "we go with",
	"going with ", "entscheidung:", "entschieden", "beschlossen", "décision :", "décidé", "decisión:", "decidido",
	"decisão:", "decisione:", "решение:", "решили", "决定", "決定",
}

// ruleWords begin a rule of the user.
var ruleWords = []string{
	"must ", "never ", "always ", "do not ", "don't touch", "don't change", "don't use", "don't edit", "don't push",
	"don't commit", "don't delete",
	"don't remove", "don't modify", "don't rename", "don't merge", "don't deploy", "don't run", "don't break",
	"don't add", "only use", "keep ",
	"make sure", "niemals ", "immer ", "darf nicht", "muss ", "jamais ", "toujours ", "siempre ", "nunca ", "никогда",
	"всегда", "必须", "不要", "必ず",
}
