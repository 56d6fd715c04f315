class bad_collector_lower { User <| uid == 1 and |> }
