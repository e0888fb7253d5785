package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type schemaOptions struct {
	app     *App
	openAPI bool
}

func newSchema(app *App) *cobra.Command {
	o := &schemaOptions{app: app}
	cmd := &cobra.Command{
		Use:   "schema [<verb> | --openapi]",
		Short: "Print the JSON Schema of what a verb takes and replies",
		Long: `Print the JSON Schema of a verb's reply, as --json prints it, with that of its
request and of the one error. Without <verb>, print the verbs.

Within one schema_version fields are only added, never renamed or removed.
With --json a schema is on one line. --openapi prints the OpenAPI 3.1 document
of what the coordinator serves on its socket, as GET /v1/openapi.json there.`,
		Example: `  termio schema
  termio schema list
  termio schema --openapi`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.openAPI && len(args) > 0 {
				return usagef(api.CodeBadRequest, "--openapi is about all verbs; name none beside it")
			}
			if len(args) > 1 {
				return usagef(api.CodeBadRequest, "one verb at a time: %s is one too many", quoted(args[1]))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	app.jsonFlag(cmd)
	cmd.Flags().BoolVar(&o.openAPI, "openapi", false, "the OpenAPI document of all verbs")
	return cmd
}

// verbsReply is what --json prints without a verb.
type verbsReply struct {
	api.Head
	Verbs []string `json:"verbs"`
}

func (o *schemaOptions) run(args []string) error {
	if o.openAPI {
		doc, err := api.OpenAPI()
		if err != nil {
			return err
		}
		return o.app.printDocument(doc)
	}
	if len(args) == 0 && o.app.json {
		reply := verbsReply{Head: api.OKHead()}
		for _, v := range slices.Concat(api.Verbs(), api.Offline()) {
			reply.Verbs = append(reply.Verbs, v.Name)
		}
		return o.app.printJSON(reply)
	}
	if len(args) == 0 {
		var b strings.Builder
		for _, v := range slices.Concat(api.Verbs(), api.Offline()) {
			b.WriteString(v.Name + "\n")
		}
		return o.app.print(b.String())
	}
	schema, err := api.Schema(args[0])
	if err != nil {
		return err
	}
	return o.app.printDocument(schema)
}
